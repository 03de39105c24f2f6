import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { HOSTILE_TARGET_KEYS, startHostileTarget } from '../../conformance/testing/hostile-targets.ts'

const PROGRAM = fileURLToPath(new URL('../../cli/bin.js', import.meta.url))
const MAX_RESIDENT_MB = 300

/** Returns the peak of the resident memory of a process so far, in MB. Linux only. */
async function readPeakMb(pid: number | undefined): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '')
  return Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1] ?? 0) / 1024
}

test
  .skipIf(process.platform !== 'linux')
  .each([
    '7 MiB in each response',
    '7 MiB of text outside Latin-1 in each response',
    '64 KiB in each response',
    'endless streams',
    'endless JSON in chunks',
    '60 KiB of header fields',
    'errors of 5 MB',
    'texts of 7 MB',
  ])('a run of the suite keeps its memory bounded against a target with %s', async (name) => {
  await using server = await startHostileTarget(name)
  const cwd = await mkdtemp(join(tmpdir(), 'touchstone-memory-'))
  const { funded, noCredits } = HOSTILE_TARGET_KEYS
  const flags = ['--max-seconds', '60', '--target', server.url]
  const keys = ['--key', funded, '--no-credits-key', noCredits]
  const child = spawn(process.execPath, [PROGRAM, 'conformance', ...flags, ...keys], { cwd, stdio: 'ignore' })
  let peakMb = 0
  const timer = setInterval(() => void readPeakMb(child.pid).then((mb) => (peakMb = Math.max(peakMb, mb))), 200)
  await once(child, 'close')
  clearInterval(timer)
  expect([1, 3]).toContain(child.exitCode)
  expect(peakMb).toBeGreaterThan(50)
  expect(peakMb).toBeLessThan(MAX_RESIDENT_MB)
})
