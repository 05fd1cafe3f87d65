/** The text of a name, and the version it had when it was read. */
export interface VersionedText {
  /** The text, whole. */
  readonly text: string
  /** Opaque: pass it to `replace` or `remove` as it came. */
  readonly version: string
}

/**
 * Small named texts with compare-and-swap, kept at the destination of an export: its state, which has the lease, and its manifest.
 *
 * Every change names the version that it was made from. A run that was shut out by a later owner therefore cannot
 * change anything: its next `replace` finds another version. Each method rejects with a `StoreError` when the
 * destination cannot be read or written.
 */
export interface Store {
  /** Resolves with the text of a name, or with undefined if there is none. */
  readonly read: (name: string) => Promise<VersionedText | undefined>
  /**
   * Replaces the text of a name, durably and in one step, if its version is still `version`; undefined: if there
   * is no such text yet. Resolves with the new version, or with undefined if another change was first.
   */
  readonly replace: (
    name: string,
    text: string,
    version: string | undefined,
  ) => Promise<string | undefined>
  /** Removes the text of a name if its version is still `version`. Resolves with false if it is not. */
  readonly remove: (name: string, version: string) => Promise<boolean>
  /** Gives its connection back, where it has one. May be called again. */
  readonly close?: () => Promise<void>
}

/** A store with other names for its texts. */
export const renamed = (store: Store, nameOf: (name: string) => string): Store => ({
  read: (name) => store.read(nameOf(name)),
  replace: (name, text, version) => store.replace(nameOf(name), text, version),
  remove: (name, version) => store.remove(nameOf(name), version),
  ...(store.close === undefined ? {} : { close: store.close }),
})
