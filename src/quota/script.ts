import type { Millis } from '../stream/index.js'
import {
  BRIEF,
  GAP,
  GOLDEN,
  type Grant,
  LOOK_EVERY,
  LOW_AGAIN_WITHIN,
  LOW_FOR,
  LOW_FOR_AT_MOST,
  type MemberReport,
  QUIET_TAIL,
  type QuotaClaim,
  RESERVE,
} from './rule.js'

/** Time to keep state after the last report: a week, so that a break over a weekend is not followed by a quiet period. */
const KEEP: Millis = 7 * 24 * 3_600_000

/**
 * The rule in `rule.ts` as a Redis script, with a hash for the account and its members, and one for each limit. It uses the
 * clock of Redis. A field that is not a process starts with `@`.
 */
export const SCRIPT = `local time = redis.call('TIME')
local now = math.floor(time[1] * 1000 + time[2] / 1000)
local info = redis.pcall('INFO', 'server')
local run = type(info) == 'string' and string.match(info, 'run_id:(%w+)') or '-'

local function divide(limit, wants, turn, luck)
  local order, parts = {}, {}
  for i = 1, #wants do order[i] = i; parts[i] = 0 end
  table.sort(order, function(a, b)
    if wants[a] ~= wants[b] then return wants[a] < wants[b] end
    return a < b
  end)
  local left = limit
  for i, index in ipairs(order) do
    local want, count = wants[index], #order - i + 1
    local even = math.floor(left / count)
    if want > even then
      local unsatisfied = {}
      for j = i, #order do unsatisfied[#unsatisfied + 1] = order[j] end
      table.sort(unsatisfied)
      for place, other in ipairs(unsatisfied) do
        local more = left - even * count
        local first = even == 0 and turn + math.floor(luck * count) or turn * more
        local isLucky = (place - 1 + first) % count < more
        parts[other] = even + (isLucky and 1 or 0)
      end
      return parts, left > even * count
    end
    parts[index] = want
    left = left - want
  end
  local rest = math.floor(left / math.max(1, #wants))
  for i = 1, #parts do parts[i] = parts[i] + rest end
  return parts, false
end

local function luckOf(name)
  local sum = 0
  for i = 1, #name do sum = sum + string.byte(name, i) end
  return (sum * ${GOLDEN}) % 1
end

local id, seq, lease = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3])
local longest, isLeaving = tonumber(ARGV[4]), ARGV[5] == '1'
local account = redis.call('HMGET', KEYS[1], '@seen', '@clock', '@run', '@quiet', id, '@gap')
local clock, quiet = tonumber(account[2] or 0), tonumber(account[4] or 0)
local gapAt = tonumber(account[6] or -1)
if account[1] then
  local elapsed = now - account[1]
  if elapsed < 0 or elapsed > ${GAP} then gapAt = clock end
  clock = clock + (elapsed < 0 and 1 or math.min(elapsed, ${GAP}))
end
if account[3] ~= run then quiet = clock + lease + ${QUIET_TAIL} end
redis.call('HSET', KEYS[1], '@seen', now, '@clock', clock, '@run', run, '@quiet', quiet, '@gap', gapAt)
redis.call('PEXPIRE', KEYS[1], ${KEEP})

if account[5] and tonumber(string.match(account[5], '^(%d+)')) >= seq then return {} end
local untilNow = isLeaving and clock or clock + lease
redis.call('HSET', KEYS[1], id, seq .. ' ' .. untilNow .. ' ' .. clock)

local members, silent, reserves
local function readMembers()
  members, silent, reserves = {}, {}, {}
  local all = redis.call('HGETALL', KEYS[1])
  for i = 1, #all, 2 do
    local other = all[i]
    if string.byte(other) ~= 64 then
      local _, untilThen, seen = string.match(all[i + 1], '^(%d+) (%d+) (%d+)$')
      untilThen = tonumber(untilThen)
      if clock > untilThen + longest then redis.call('HDEL', KEYS[1], other)
      else
        members[other] = untilThen
        seen = tonumber(seen)
        local isHeard = seen > gapAt and clock - seen <= lease
        if other ~= id and not isHeard then silent[other] = untilThen end
      end
    end
  end
  for other in pairs(silent) do
    local reserve = redis.call('HGET', KEYS[2], other)
    reserves[other] = reserve and tonumber(string.match(reserve, '^(%d+)')) or 0
  end
end

local reply = {}
for k = 2, #KEYS do
  local key, a = KEYS[k], 5 + (k - 2) * 8
  local limit, tail, version = tonumber(ARGV[a + 1]), tonumber(ARGV[a + 2]), tonumber(ARGV[a + 4])
  local had, held, want = tonumber(ARGV[a + 5]), tonumber(ARGV[a + 6]), tonumber(ARGV[a + 7])
  local less, turnLength = tonumber(ARGV[a + 8]), tonumber(ARGV[a + 3])
  local known = redis.call('HMGET', key, id, '@version', '@look', '@low', '@lowUntil', '@lowFor', '@is')
  local before, current = known[1] or '', tonumber(known[2] or 0)
  local same = before == had .. ' ' .. held .. ' ' .. want and current == version
  if same and clock < tonumber(known[3] or 0) and less == 0 then
    reply[#reply + 1] = -1
    reply[#reply + 1] = version
  else
    local turn = math.floor(clock / turnLength)
    if not members then readMembers() end
    local effective, lowUntil, lowFor = limit, tonumber(known[5] or -${LOW_AGAIN_WITHIN}), tonumber(known[6] or 0)
    if clock < lowUntil then effective = math.min(limit, tonumber(known[4])) end
    if less > 0 then
      effective = math.max(1, effective - less)
      if clock >= lowUntil then
        local isAgain = clock < lowUntil + math.max(${LOW_AGAIN_WITHIN}, lowFor)
        lowFor = isAgain and math.min(${LOW_FOR_AT_MOST}, 2 * lowFor) or ${LOW_FOR}
      end
      lowUntil = clock + lowFor
      redis.call('HSET', key, '@low', effective, '@lowUntil', lowUntil, '@lowFor', lowFor)
    end

    local isChanged, isShort, others, count, extra, taken = false, want > had, 0, 0, 0, {}
    local ids, wantOf = { id }, { [id] = want }
    local all = redis.call('HGETALL', key)
    for i = 1, #all, 2 do
      local other = all[i]
      if other ~= id and string.byte(other) ~= 64 then
        local untilThen = members[other]
        if not untilThen or clock > untilThen + tail then
          redis.call('HDEL', key, other)
          isChanged = true
        else
          count = count + 1
          local g, h, w = string.match(all[i + 1], '^(%d+) (%d+) (%d+)$')
          taken[other] = math.max(tonumber(g), tonumber(h))
          others = others + taken[other]
          if clock <= untilThen then
            ids[#ids + 1] = other
            wantOf[other] = tonumber(w)
            if wantOf[other] > tonumber(g) then isShort = true end
          end
        end
      end
    end

    local silentHere = 0
    for other, untilThen in pairs(silent) do
      if k > 2 and clock <= untilThen + tail then
        local fair = math.floor(limit * reserves[other] / ${RESERVE})
        extra = extra + math.max(0, fair - (taken[other] or 0))
        silentHere = silentHere + 1
      end
    end

    table.sort(ids)
    local wants, mine = {}, 1
    for i, other in ipairs(ids) do
      wants[i] = wantOf[other]
      if other == id then mine = i end
    end
    local parts, isUneven = divide(effective, wants, turn, luckOf(key))
    local due, room = parts[mine], effective - others
    local isSettled = not isShort and had <= room
    local part = isSettled and had or math.max(0, math.min(due, math.max(had, room), limit - others))
    if tail > ${BRIEF} then part = math.min(part, want) end
    part = math.min(part, math.max(had, room - extra))
    if clock < quiet then part = math.min(part, had) end
    if want == 0 and had == 0 then part = 0 end

    local granted = math.max(had, part)
    local after = granted .. ' ' .. held .. ' ' .. want
    if granted + held + want == 0 then
      after = ''
      redis.call('HDEL', key, id)
    else
      count = count + 1
      redis.call('HSET', key, id, after)
    end
    local g, h, w = string.match(before, '^(%d+) (%d+) (%d+)$')
    g, h, w = tonumber(g or 0), tonumber(h or 0), tonumber(w or 0)
    local isAlike = w == want or isSettled or (w > due and want > due)
    if g ~= granted or h ~= held or not isAlike then isChanged = true end
    local is = table.concat({ isUneven and turn or 0, effective, #ids, silentHere, clock < quiet and 1 or 0 }, ' ')
    if known[7] ~= is then isChanged = true end
    if isChanged then current = current + 1 end
    if count > 0 or clock < lowUntil + math.max(${LOW_AGAIN_WITHIN}, lowFor) then
      local look = math.min(clock + ${LOOK_EVERY}, (turn + 1) * turnLength)
      redis.call('HSET', key, '@version', current, '@look', look, '@is', is)
      redis.call('PEXPIRE', key, count > 0 and ${KEEP} or ${2 * LOW_FOR_AT_MOST})
    else
      redis.call('DEL', key)
    end
    reply[#reply + 1] = part
    reply[#reply + 1] = current
  end
end
return reply
`

/** Returns the arguments of the script for one report: the number of keys, the keys, and the values. */
export const encodeReport = (
  account: string,
  { id, seq, lease, longest, isLeaving, claims }: MemberReport,
): ReadonlyArray<string> => [
  String(claims.length + 1),
  account,
  ...claims.map(({ name }) => name),
  id,
  ...[seq, lease, longest, isLeaving ? 1 : 0].map(String),
  ...claims.flatMap(encodeClaim),
]

const encodeClaim = (claim: QuotaClaim): ReadonlyArray<string> => {
  const { limit, tail, turn, version, had, held, want, less } = claim
  return [limit, tail, turn, version, had, held, want, less].map(String)
}

/** Returns the grants in a reply; `undefined` if it does not answer this number of claims. */
export const decodeGrants = (answer: unknown, claims: number): ReadonlyArray<Grant> | undefined => {
  if (!Array.isArray(answer) || answer.length !== 2 * claims) return undefined
  const numbers = answer.map(Number)
  if (!numbers.every((n) => Number.isInteger(n) && n >= -1)) return undefined
  return Array.from({ length: claims }, (_, i): Grant => {
    const [part = 0, version = 0] = numbers.slice(2 * i, 2 * i + 2)
    return { part: part < 0 ? undefined : part, version }
  })
}
