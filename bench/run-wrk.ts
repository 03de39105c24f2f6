import { execFile, spawnSync } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { CHAT_PATH, CHAT_HEADERS, type Throughput, type LoadGeneratorOptions } from './throughput.ts'

const WRK = 'wrk'

const run = promisify(execFile)

/** Result that the Lua script below prints. */
interface Summary {
  readonly requests: number
  readonly durationUs: number
  /** Number of failed connections, reads and writes, and of timed-out responses. */
  readonly errors: number
  /** Number of responses with a status of 400 or more. */
  readonly refused: number
}

export function isWrkInstalled(): boolean {
  // Ignores the exit code, because `wrk --version` exits with 1.
  return spawnSync(WRK, ['--version'], { stdio: 'ignore' }).error === undefined
}

/**
 * Generates load with wrk, with one thread because each server has one.
 * @throws Error if a request failed, or a response had a status of 400 or more. wrk does not count 3xx responses as
 * errors; autocannon, which runs before wrk, counts them.
 */
export async function runWrk(url: string, { body, connections, seconds }: LoadGeneratorOptions): Promise<Throughput> {
  const folder = await mkdtemp(join(tmpdir(), 'touchstone-bench-'))
  try {
    const script = join(folder, 'post.lua')
    await writeFile(script, scriptFor(JSON.stringify(body)))
    const flags = ['-t1', `-c${connections}`, `-d${seconds}s`, '-s', script]
    const { stdout } = await run(WRK, [...flags, url + CHAT_PATH])
    // The cast is safe: the Lua script below prints this type.
    const { requests, durationUs, errors, refused } = JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as Summary
    if (errors + refused > 0) throw new Error(`${url}: ${errors} errors or late, ${refused} refused`)
    return { responses: requests, seconds: durationUs / 1e6 }
  } finally {
    await rm(folder, { recursive: true })
  }
}

/**
 * Builds a Lua script that sends the request and prints the result. JSON escapes are valid in Lua for text without
 * control characters.
 */
function scriptFor(body: string): string {
  const fields = Object.entries(CHAT_HEADERS).map(
    ([name, value]) => `wrk.headers["${name}"] = ${JSON.stringify(value)}\n`,
  )
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
