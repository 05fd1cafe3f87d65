import { describe, expect, it } from 'vitest'
import { knownSecrets } from '../../../src/http/secrets/KnownSecrets.js'

describe('tokens', () => {
  it('are remembered when others have replaced them: the last few, beside what is always secret', () => {
    const secrets = knownSecrets(['key-1'])
    expect(secrets.all()).toEqual(['key-1'])
    for (let n = 0; n < 20; n++) secrets.add(`token-${n}`)
    expect(secrets.all()).toContain('key-1')
    expect(secrets.all()).toContain('token-19')
    expect(secrets.all()).toContain('token-12')
    expect(secrets.all()).toHaveLength(9)
  })
})
