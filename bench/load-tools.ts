import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const EXTENSION = fileURLToPath(new URL('../scenarios/extension', import.meta.url))

/**
 * Programs that the load benchmarks build from this repository: k6 with the extension, and a Go server that shares no
 * code with the extension.
 */
export interface LoadTools extends Disposable {
  readonly k6: string
  readonly url: string
  /** Base URLs of the same server by protocol. `tls` is HTTP/1.1 over TLS. */
  readonly urls: Readonly<Record<'http1' | 'tls' | 'http2', string>>
  /** Directory for the files of a run, which disposal removes. */
  readonly directory: string
}

/** Builds both programs and starts the server. The first build takes about 30 seconds. */
export async function openLoadTools(): Promise<LoadTools> {
  const directory = mkdtempSync(join(tmpdir(), 'touchstone-bench-'))
  const build = (name: string, source: string) => {
    const path = join(directory, name)
    const { status, stderr } = spawnSync('go', ['build', '-o', path, source], { cwd: EXTENSION, encoding: 'utf8' })
    if (status !== 0) throw new Error(`${name} could not be built: ${stderr}`)
    return path
  }
  const k6 = build('k6', '.')
  const server = spawn(build('streamserver', './cmd/streamserver'), { stdio: ['ignore', 'pipe', 'inherit'] })
  const [line] = (await once(server.stdout, 'data')) as [Buffer] // The server prints its address and nothing else.
  const [, url, tls, http2] = /ready at (\S+) (\S+) (\S+)/.exec(line.toString()) ?? []
  if (url === undefined || tls === undefined || http2 === undefined)
    throw new Error(`the server said: ${line.toString()}`)
  const close = () => {
    server.kill('SIGTERM')
    rmSync(directory, { recursive: true })
  }
  return { k6, url, urls: { http1: url, tls, http2 }, directory, [Symbol.dispose]: close }
}

/** Settings of a k6 run, which the script receives as environment variables. */
export type K6RunSettings = Readonly<Record<'URL' | 'VUS' | 'ITERATIONS', string>> & {
  /** Requests per second; absent for a closed loop. */
  readonly RATE?: string
  /** Path of the file for the times of each response. */
  readonly EVENTS?: string
  /** Path of the file for the extension's result. */
  readonly RESULT?: string
}

/** Runs a k6 script of this directory, and returns the CPU time of k6 in seconds (user and kernel). */
export async function runK6(k6: string, script: string, settings: K6RunSettings): Promise<number> {
  const path = fileURLToPath(new URL(script, import.meta.url))
  // `times` prints the shell's own times, then those of its children: "0m1.23s 0m0.45s".
  const shell = '"$@" >/dev/null; code=$?; times; exit $code'
  const child = spawn('sh', ['-c', shell, 'sh', k6, 'run', '--quiet', '--no-usage-report', path], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, ...settings },
  })
  let output = ''
  child.stdout.on('data', (data: Buffer) => (output += data.toString()))
  const [code] = (await once(child, 'close')) as [number | null]
  if (code !== 0) throw new Error(`k6 run ${script} ended with ${code}`)
  const times = output.trim().split('\n').at(-1) ?? ''
  return [...times.matchAll(/(\d+)m([\d.]+)s/g)].reduce((sum, [, m, s]) => sum + Number(m) * 60 + Number(s), 0)
}
