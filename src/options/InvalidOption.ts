/** Thrown for an option that cannot work, and for a name that no option has. It repeats no value. */
export class InvalidOption extends TypeError {
  override readonly name = 'InvalidOption'
  readonly _tag = 'InvalidOption'
  /** The name of the option, such as `timeout.connect`. */
  readonly option: string

  /** `of`: whose option it is, before its name. */
  constructor(option: string, expected: string, of = '') {
    super(`${of}${option} should be ${expected}`)
    this.option = option
  }
}
