import { execFile, spawnSync } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { CHAT_PATH, HEADERS, type Throughput, type Load } from './throughput.ts'

const WRK = 'wrk'

const run = promisify(execFile)

/** Figures that the Lua script below prints at the end. */
interface Summary {
  readonly requests: number
  readonly durationUs: number
  /** Failed connections, reads and writes, and timed-out responses. */
  readonly errors: number
  /** Responses with a status of 400 or more. */
  readonly refused: number
}

/** True if wrk is on the PATH. */
export function isWrkInstalled(): boolean {
  return spawnSync(WRK, ['--version'], { stdio: 'ignore' }).error === undefined // wrk --version exits with 1
}

/**
 * Generates load with wrk, with one thread, because each server has one.
 * @throws if a request failed or a response had a status of 400 or more. wrk accepts 3xx; autocannon, which runs before
 * it, does not.
 */
export async function runWrk(url: string, { body, connections, seconds }: Load): Promise<Throughput> {
  const folder = await mkdtemp(join(tmpdir(), 'touchstone-bench-'))
  try {
    const script = join(folder, 'post.lua')
    await writeFile(script, scriptFor(JSON.stringify(body)))
    const flags = ['-t1', `-c${connections}`, `-d${seconds}s`, '-s', script]
    const { stdout } = await run(WRK, [...flags, url + CHAT_PATH])
    const { requests, durationUs, errors, refused } = JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as Summary // printed by the script below
    if (errors + refused > 0) throw new Error(`${url}: ${errors} errors or late, ${refused} refused`)
    return { answers: requests, seconds: durationUs / 1e6 }
  } finally {
    await rm(folder, { recursive: true })
  }
}

/** Lua script with the request and the final output. JSON and Lua escape a text without control characters alike. */
function scriptFor(body: string): string {
  const fields = Object.entries(HEADERS).map(([name, value]) => `wrk.headers["${name}"] = ${JSON.stringify(value)}\n`)
  return `wrk.method = "POST"
wrk.body = ${JSON.stringify(body)}
${fields.join('')}
function done(summary)
  local e = summary.errors
  print(string.format('{"requests":%d,"durationUs":%d,"errors":%d,"refused":%d}',
    summary.requests, summary.duration, e.connect + e.read + e.write + e.timeout, e.status))
end
`
}
