import { describe, expect, it } from 'vitest'
import { secretsWith } from '../../../src/http/secrets/Secrets.js'

describe('tokens', () => {
  it('are remembered when others have replaced them: the last few, beside what is always secret', () => {
    const secrets = secretsWith(['key-1'])
    expect(secrets.all()).toEqual(['key-1'])
    for (let n = 0; n < 20; n++) secrets.add(`token-${n}`)
    expect(secrets.all()).toContain('key-1')
    expect(secrets.all()).toContain('token-19')
    expect(secrets.all()).toContain('token-12')
    expect(secrets.all()).toHaveLength(9)
  })
})
