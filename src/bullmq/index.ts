/** `payments-rx/bullmq`: exports in slices, by workers of BullMQ. Needs the packages `bullmq` and `ioredis`. */
export { InvalidOption } from '../options/index.js'
export { type ExportWithWorkersOptions, exportWithWorkers } from './exportWithWorkers.js'
export { type SliceWorkerEvent, type SliceWorkerOptions, sliceWorker } from './sliceWorker.js'
