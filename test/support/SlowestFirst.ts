import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Files that start many processes. Their text is short, so vitest would take them for quick ones and start them last. */
const SLOW =
  /\/(\w*[sS]urvival|killed|s3Service|partitions|duckdb|cli\/bench|docs|readme|laws|ownFiles\.property)\.test\.ts$/

/** Starts the slowest files first, so that no worker is left with one at the end. */
export class SlowestFirst extends BaseSequencer {
  override async sort(files: Array<TestSpecification>): Promise<Array<TestSpecification>> {
    const sorted = await super.sort(files)
    const isSlow = ({ moduleId }: TestSpecification): boolean => SLOW.test(moduleId)
    return [...sorted.filter(isSlow), ...sorted.filter((file) => !isSlow(file))]
  }
}
