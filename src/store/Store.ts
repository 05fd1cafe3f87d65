/** A text and its version when it was read. */
export interface VersionedText {
  /** The whole text. */
  readonly text: string
  /** Opaque: pass it unchanged to `replace` or `remove`. */
  readonly version: string
}

/**
 * Small named texts with compare-and-swap, stored at the destination of an export: its state, including the lease, and its
 * manifest.
 *
 * Every change names the version that it is based on. After a takeover by a later owner, a run therefore cannot change anything:
 * its next `replace` finds a different version. Each method rejects with a `StoreError` when the destination cannot be read or
 * written.
 */
export interface Store {
  /** Resolves with the text called `name`, or with `undefined` if it does not exist. */
  readonly read: (name: string) => Promise<VersionedText | undefined>
  /**
   * Replaces a text, durably and atomically, if its version is still `version` (`undefined`: if the text does not exist yet).
   * Resolves with the new version, or with `undefined` if another change came first.
   */
  readonly replace: (
    name: string,
    text: string,
    version: string | undefined,
  ) => Promise<string | undefined>
  /** Removes a text if its version is still `version`. Resolves with false if it is not. */
  readonly remove: (name: string, version: string) => Promise<boolean>
  /** Closes the connection, if there is one. May be called again. */
  readonly close?: () => Promise<void>
}

/** Wraps a store so that its texts have different names. */
export const renamed = (store: Store, nameOf: (name: string) => string): Store => ({
  read: (name) => store.read(nameOf(name)),
  replace: (name, text, version) => store.replace(nameOf(name), text, version),
  remove: (name, version) => store.remove(nameOf(name), version),
  ...(store.close === undefined ? {} : { close: store.close }),
})
