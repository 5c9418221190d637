/** The hosts that a node can name. A program that brings its own host adds its name: TypeScript merges interfaces. @public */
export interface KnownHosts {
  readonly opencode: true;
  readonly claude: true;
  readonly copilot: true;
  readonly scripted: true;
}

export type HostName = keyof KnownHosts;
