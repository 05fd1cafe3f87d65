import type { Command } from 'commander'
import { UsageError } from './Terminal.js'

/** Each option with a value is given once, or a `WrongUse` is thrown: commander would take the last one. */
export const rejectRepeatedOptions = (command: Command): void => {
  const given = new Set<string>()
  for (const option of command.options.filter(({ required, optional }) => required || optional)) {
    const flag = `--${option.name()}`
    command.on(`option:${option.name()}`, () => {
      if (given.has(flag)) throw new UsageError(`${flag} is given twice`)
      given.add(flag)
    })
  }
}
