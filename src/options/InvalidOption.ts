/** Thrown for an option that cannot work, and for a name that no option has. Contains no value: it may be secret. */
export class InvalidOption extends TypeError {
  override readonly name = 'InvalidOption'
  readonly _tag = 'InvalidOption'
  /** The name of the option, such as `timeout.connect`. */
  readonly option: string

  /** `context` precedes the name in the message, such as `retry: `. */
  constructor(option: string, expected: string, context = '') {
    super(`${context}${option} should be ${expected}`)
    this.option = option
  }
}
