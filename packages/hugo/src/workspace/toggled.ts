/** What became of one workflow that was enabled or disabled. */
export interface Toggled {
  readonly name: string;
  readonly version: string;
  readonly delivery: "plugin" | "copy";
  readonly change:
    | "enabled"
    | "disabled"
    | "already-enabled"
    | "already-disabled"
    /** A project cannot disable what stands only in the user's own config. */
    | "enabled-elsewhere";
  /** Entries of plugin arrays that were added or taken out. */
  readonly entries: readonly NamedEntry[];
  /** Entries in configs that are not this place's to change, through which OpenCode loads it all the same. */
  readonly elsewhere: readonly NamedEntry[];
  /** Destinations of the files that were parked or brought back. */
  readonly files: readonly string[];
}

/** An entry of a plugin array. */
export interface NamedEntry {
  /** As `portablePath` writes it. */
  readonly file: string;
  readonly spec: string;
}
