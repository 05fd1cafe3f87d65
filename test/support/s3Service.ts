/**
 * A test file's own real S3 service, on free ports of this machine: the object gateway of Ceph, with one monitor and one store
 * in memory. Its programs come from the Debian packages `radosgw`, `ceph-mon` and `ceph-osd`. If one is not installed, the
 * tests that need it are skipped, and counted in the last line of output.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3'
import { freePort } from '../../bench/services/startServer.js'
import { until } from './until.js'

const folders = [...(process.env.PATH ?? '').split(':'), '/usr/bin', '/usr/sbin']

const PROGRAMS = ['radosgw', 'radosgw-admin', 'ceph', 'ceph-mon', 'ceph-osd', 'monmaptool']

export const hasS3Service = PROGRAMS.every((name) =>
  folders.some((folder) => existsSync(join(folder, name))),
)

export interface S3Service {
  /** The variables with which the AWS tools find it. */
  readonly env: Readonly<Record<string, string>>
  /** The name of its bucket. */
  readonly bucket: string
  readonly stop: () => Promise<void>
}

const settings = (folder: string, fsid: string, monitor: number, gateway: number): string => `
[global]
fsid = ${fsid}
mon host = v1:127.0.0.1:${monitor}
mon initial members = a
auth cluster required = none
auth service required = none
auth client required = none
ms bind msgr2 = false
public network = 127.0.0.0/8
public addr = 127.0.0.1
cluster addr = 127.0.0.1
osd pool default size = 1
osd pool default min size = 1
osd pool default pg num = 8
osd crush chooseleaf type = 0
osd class update on start = false
osd crush update on start = false
osd objectstore = memstore
memstore device bytes = 2147483648
enable experimental unrecoverable data corrupting features = memstore
mon allow pool size one = true
mon warn on pool no redundancy = false
mon data avail warn = 1
mon data avail crit = 0
run dir = ${folder}/run
log file = ${folder}/log/$name.log
admin socket = ${folder}/run/$name.asok
pid file = ${folder}/run/$name.pid
mon data = ${folder}/mon
osd data = ${folder}/osd
rgw enable usage log = false
rgw init timeout = 86400
rgw dns name = localhost
[client.rgw]
rgw frontends = beast endpoint=127.0.0.1:${gateway}
`

const KEYS = { accessKeyId: 'AKTESTER', secretAccessKey: 'secret-of-tester' }

/** Starts it, with one bucket. */
export const startS3Service = async (): Promise<S3Service> => {
  const folder = mkdtempSync('/tmp/prx-s3-') // paths of its sockets must be short
  for (const name of ['mon', 'osd', 'log', 'run']) mkdirSync(join(folder, name))
  const [monitor, gateway] = [await freePort(), await freePort()]
  const [fsid, osd] = [randomUUID(), randomUUID()]
  const conf = join(folder, 'ceph.conf')
  writeFileSync(conf, settings(folder, fsid, monitor, gateway))
  const daemons: Array<ChildProcess> = []
  const run = (name: string, ...args: ReadonlyArray<string>): string =>
    execFileSync(name, ['-c', conf, ...args], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    })
  const untilDone = (...args: ReadonlyArray<string>): Promise<void> =>
    until(() => {
      try {
        run('ceph', ...args)
        return true
      } catch {
        return false // the monitor does not respond yet
      }
    })
  const daemon = (name: string, ...args: ReadonlyArray<string>): void => {
    daemons.push(spawn(name, ['-c', conf, '-f', ...args], { stdio: 'ignore' }))
  }
  const stop = async (): Promise<void> => {
    for (const one of [...daemons].reverse()) {
      if (one.exitCode !== null) continue
      const ended = new Promise((resolve) => one.once('exit', resolve))
      one.kill('SIGKILL')
      await ended
    }
    rmSync(folder, { recursive: true, force: true })
  }

  try {
    const monmap = join(folder, 'monmap')
    run('monmaptool', '--create', '--fsid', fsid, '--addv', 'a', `v1:127.0.0.1:${monitor}`, monmap)
    run('ceph-mon', '-i', 'a', '--mkfs', '--monmap', monmap)
    daemon('ceph-mon', '-i', 'a')
    await untilDone('--connect-timeout', '5', 'osd', 'new', osd)
    run('ceph-osd', '-i', '0', '--mkfs', '--osd-uuid', osd)
    await untilDone('osd', 'crush', 'add', 'osd.0', '1.0', 'root=default', 'host=here')
    daemon('ceph-osd', '-i', '0')
    daemon('radosgw', '-n', 'client.rgw')
    const url = `http://127.0.0.1:${gateway}`
    await until(() => {
      const ended = daemons.find(({ exitCode }) => exitCode !== null)
      if (ended !== undefined) throw new Error(`${ended.spawnfile} ended before it was ready`)
      return fetch(url).then(
        ({ ok }) => ok,
        () => false,
      )
    })
    run(
      ...([
        ...['radosgw-admin', 'user', 'create', '--uid', 'tester', '--display-name', 'tester'],
      ] as const),
      ...['--access-key', KEYS.accessKeyId, '--secret-key', KEYS.secretAccessKey],
    )
    const bucket = 'lake'
    const client = new S3Client({
      ...{ endpoint: url, region: 'us-east-1', forcePathStyle: true, credentials: KEYS },
    })
    await client.send(new CreateBucketCommand({ Bucket: bucket }))
    client.destroy()
    const env = {
      AWS_ENDPOINT_URL: url,
      AWS_REGION: 'us-east-1',
      AWS_ACCESS_KEY_ID: KEYS.accessKeyId,
      AWS_SECRET_ACCESS_KEY: KEYS.secretAccessKey,
    }
    return { env, bucket, stop }
  } catch (error) {
    await stop()
    throw error
  }
}
