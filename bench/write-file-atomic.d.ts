// The package ships no types; this is the part that the benches use.
declare module "write-file-atomic" {
  export default function writeFileAtomic(file: string, content: string): Promise<void>;
}
