import { execFile, spawnSync } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { CHAT_PATH, HEADERS, type Answered, type Load } from './throughput.ts'

const WRK = 'wrk'

const run = promisify(execFile)

/** What the script below says at the end of a run. */
interface Summary {
  readonly requests: number
  readonly durationUs: number
  /** Connections, reads and writes that failed, and answers that came late. */
  readonly errors: number
  /** Answers with 400 or more. */
  readonly refused: number
}

/** Whether wrk is on the PATH. */
export function isWrkThere(): boolean {
  return spawnSync(WRK, ['--version'], { stdio: 'ignore' }).error === undefined // it ends with 1 even so
}

/**
 * Loads a server by wrk, with one thread, as the servers have one.
 * @throws where it was refused, or anything failed. wrk takes no 3xx for a refusal: autocannon does, which loads before it
 */
export async function loadByWrk(url: string, { body, connections, seconds }: Load): Promise<Answered> {
  const folder = await mkdtemp(join(tmpdir(), 'touchstone-bench-'))
  try {
    const script = join(folder, 'post.lua')
    await writeFile(script, scriptFor(JSON.stringify(body)))
    const flags = ['-t1', `-c${connections}`, `-d${seconds}s`, '-s', script]
    const { stdout } = await run(WRK, [...flags, url + CHAT_PATH])
    const { requests, durationUs, errors, refused } = JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as Summary // see below
    if (errors + refused > 0) throw new Error(`${url}: ${errors} errors or late, ${refused} refused`)
    return { answers: requests, seconds: durationUs / 1e6 }
  } finally {
    await rm(folder, { recursive: true })
  }
}

/** The request, and what is printed last. A text without control characters is written alike in JSON and in Lua. */
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
