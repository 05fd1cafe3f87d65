import { NEVER, of, throwError, VirtualTimeScheduler } from 'rxjs'
import { describe, expect, it } from 'vitest'
import type { Finding } from '../../../src/cli/doctor/Finding.js'
import { network } from '../../../src/cli/doctor/network.js'
import type { Reach, Server } from '../../../src/cli/doctor/Reach.js'

const DAY = 24 * 3_600_000

const there: Reach = {
  addresses: () => of(['192.0.2.1', '192.0.2.2']),
  connect: () => of(undefined),
  secure: () => of({ protocol: 'TLSv1.3', validUntil: 90.5 * DAY }),
}

const found = (
  reach: Partial<Reach>,
  baseUrl = 'https://api.example.com',
): ReadonlyArray<Finding> => {
  const timer = new VirtualTimeScheduler()
  const findings: Array<Finding> = []
  network({ reach: { ...there, ...reach }, timer }, baseUrl).subscribe((finding) =>
    findings.push(finding),
  )
  timer.flush()
  return findings
}

const failing = (code: string) =>
  throwError(() => Object.assign(new Error(`it is ${code}`), { code }))

describe('the way to the service', () => {
  it('is a name, a connection, and TLS', () => {
    expect(found({})).toMatchObject([
      { check: 'DNS', verdict: 'ok', found: 'api.example.com is 192.0.2.1, 192.0.2.2 (0 ms)' },
      { check: 'connection', verdict: 'ok', found: 'api.example.com, port 443 (0 ms)' },
      { check: 'TLS', verdict: 'ok', found: 'TLSv1.3, certificate good for 90 days' },
    ])
  })

  it('is asked for by the host and port of the base URL', () => {
    const asked: Array<Server> = []
    const connect = (server: Server) => {
      asked.push(server)
      return of(undefined)
    }
    found({ connect }, 'https://api.example.com:8443/v')
    found({ connect }, 'http://[::1]')
    expect(asked).toEqual([
      { host: 'api.example.com', port: 8443 },
      { host: '::1', port: 80 },
    ])
  })

  it('has no TLS on this machine', () => {
    expect(found({}, 'http://127.0.0.1:8080').at(-1)).toMatchObject({
      check: 'TLS',
      verdict: 'skipped',
    })
  })

  it.each<[string, Partial<Reach>, string, string]>([
    ['the name is not known', { addresses: () => failing('ENOTFOUND') }, 'DNS', 'spelling'],
    ['nobody listens', { connect: () => failing('ECONNREFUSED') }, 'connection', 'port'],
    ['nobody answers', { connect: () => NEVER }, 'connection', 'firewall'],
    [
      'the certificate is not trusted',
      { secure: () => failing('SELF_SIGNED_CERT_IN_CHAIN') },
      'TLS',
      'NODE_EXTRA_CA_CERTS',
    ],
  ])('ends where %s', (_, reach, check, advice) => {
    expect(found(reach).at(-1)).toMatchObject({
      check,
      verdict: 'failed',
      found: expect.stringMatching(/ENOTFOUND|ECONNREFUSED|no answer within 10.0 s|SELF_SIGNED/),
      advice: expect.stringContaining(advice),
    })
  })

  it('warns of a certificate that ends soon', () => {
    const secure = () => of({ protocol: 'TLSv1.3', validUntil: 3 * DAY })
    expect(found({ secure }).at(-1)).toMatchObject({ check: 'TLS', verdict: 'warning' })
  })
})
