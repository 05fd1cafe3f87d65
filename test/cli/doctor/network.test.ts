import { delay, NEVER, of, throwError, VirtualTimeScheduler } from 'rxjs'
import { describe, expect, it } from 'vitest'
import type { Finding } from '../../../src/cli/doctor/Finding.js'
import { checkNetwork, type NetworkProbe, type Server } from '../../../src/cli/doctor/network.js'

const DAY = 24 * 3_600_000

const there: NetworkProbe = {
  addresses: () => of(['192.0.2.1', '192.0.2.2']),
  connect: () => of(undefined),
  secure: () => of({ protocol: 'TLSv1.3', validUntil: 90.5 * DAY }),
}

const found = (
  probe: Partial<NetworkProbe>,
  baseUrl = 'https://api.example.com',
  timer = new VirtualTimeScheduler(),
): ReadonlyArray<Finding> => {
  const findings: Array<Finding> = []
  checkNetwork({ probe: { ...there, ...probe }, timer, baseUrl }).subscribe((finding) =>
    findings.push(finding),
  )
  timer.flush()
  return findings
}

const failing = (code: string) =>
  throwError(() => Object.assign(new Error(`it is ${code}`), { code }))

describe('the network checks', () => {
  it('resolve the name, connect, and open TLS', () => {
    expect(found({})).toMatchObject([
      {
        check: 'DNS',
        verdict: 'ok',
        found: 'api.example.com resolves to 192.0.2.1, 192.0.2.2 (0 ms)',
      },
      { check: 'connection', verdict: 'ok', found: 'api.example.com, port 443 (0 ms)' },
      { check: 'TLS', verdict: 'ok', found: 'TLSv1.3, certificate valid for 90 days' },
    ])
  })

  it('take host and port from the base URL', () => {
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

  it('skip TLS for plain HTTP', () => {
    const last = found({}, 'http://127.0.0.1:8080').at(-1)
    expect(last).toMatchObject({ check: 'TLS', verdict: 'skipped' })
  })

  it.each<[string, Partial<NetworkProbe>, string, string, string]>([
    ['no such name', { addresses: () => failing('ENOTFOUND') }, 'DNS', 'ENOTFOUND', 'spelling'],
    ['no server', { connect: () => failing('ECONNREFUSED') }, 'connection', 'ECONNREFUSED', 'port'],
    ['no answer', { connect: () => NEVER }, 'connection', 'no response within 10.0 s', 'firewall'],
    [
      'no trust in the certificate',
      { secure: () => failing('SELF_SIGNED_CERT_IN_CHAIN') },
      'TLS',
      'SELF_SIGNED_CERT_IN_CHAIN',
      'NODE_EXTRA_CA_CERTS',
    ],
  ])('ends where there is %s', (_, reach, check, code, advice) => {
    expect(found(reach).at(-1)).toMatchObject({
      check,
      verdict: 'failed',
      found: `api.example.com, port 443: ${code}`,
      facts: { code },
      advice: expect.stringContaining(advice),
    })
  })

  it('time the name and the connection', () => {
    const timer = new VirtualTimeScheduler()
    const addresses = () => of(['192.0.2.1']).pipe(delay(20, timer))
    const connect = () => of(undefined).pipe(delay(300, timer))
    expect(found({ addresses, connect }, undefined, timer)).toMatchObject([
      { found: 'api.example.com resolves to 192.0.2.1 (20 ms)', facts: { ms: 20 } },
      { found: 'api.example.com, port 443 (300 ms)', facts: { ms: 300 } },
      { check: 'TLS' },
    ])
  })

  it.each([
    [1.5, 'warning', '1 day'],
    [13.9, 'warning', '13 days'],
    [14.1, 'ok', '14 days'],
  ])('warns of a certificate that ends soon: in %d days', (days, verdict, left) => {
    const secure = () => of({ protocol: 'TLSv1.3', validUntil: days * DAY })
    expect(found({ secure }).at(-1)).toMatchObject({
      check: 'TLS',
      verdict,
      found: `TLSv1.3, certificate valid for ${left}`,
    })
  })
})
