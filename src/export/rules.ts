/** Rules that several option tables share. */
import type { SchedulerLike } from 'rxjs'
import { is, type OptionRule } from '../options/index.js'
import type { FileSystem } from '../store/FileSystem.js'
import type { OnWait } from '../store/Waits.js'

export const format: OptionRule = {
  ...is.withMethods('', 'encoder'),
  expected: 'a format from formatOf',
}

export const files = is.withMethods<FileSystem>('functions like those of node:fs/promises', 'open')

export const reach = {
  files,
  env: is.object('an object of environment variables'),
  timer: is.rxScheduler<SchedulerLike>(),
}

export const onWait = is.fn<OnWait>()

export const mark = is.object('a mark returned by commit')

export const destination: OptionRule = {
  ...is.withMethods('', 'resume', 'write', 'reject', 'commit', 'finish', 'close'),
  expected: 'a destination',
}
