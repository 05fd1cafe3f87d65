/** The limits of one account, divided between all processes that use it. */
export { InvalidOption } from '../options/index.js'
export { type RedisQuotaOptions, redisQuota } from './redisQuota.js'
