import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Files that start many processes: they are short texts, by which vitest would take them for quick, and begin them last. */
const SLOW =
  /\/(\w*[sS]urvival|killed|s3Service|partitions|duckdb|cli\/bench|docs|readme|laws|ownFiles\.property)\.test\.ts$/

/** Begins the files that take longest, so that no worker is left with one at the end. */
export class SlowestFirst extends BaseSequencer {
  override async sort(files: Array<TestSpecification>): Promise<Array<TestSpecification>> {
    const sorted = await super.sort(files)
    const isSlow = ({ moduleId }: TestSpecification): boolean => SLOW.test(moduleId)
    return [...sorted.filter(isSlow), ...sorted.filter((file) => !isSlow(file))]
  }
}
