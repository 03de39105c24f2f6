import { mkdtemp, readdir, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { getTestK6Path } from './testing/test-k6.ts'
import { useK6 } from './testing/run-load.ts'

const runLoad = useK6()
let directory = ''

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'touchstone-temporary-'))
})

/** Writes a script that runs k6, which then cannot write more than a kilobyte to a file. */
async function limitFiles(): Promise<string> {
  const script = join(directory, 'k6')
  await writeFile(script, `#!/bin/sh\ntrap "" XFSZ\nulimit -f 1\nexec ${await getTestK6Path()} "$@"\n`, { mode: 0o755 })
  return script
}

test.runIf(process.platform !== 'win32').each([
  ['is full', async () => ({ TOUCHSTONE_K6: await limitFiles() }), 'file too large'],
  ['is not a directory', async () => ({ TMPDIR: '/dev/null' }), 'ENOTDIR'],
])('reports what was measured if the temporary directory %s, and names it', async (_state, prepare, problem) => {
  const { load, exitCode } = await runLoad('--rate 10 --duration 2s', { env: await prepare() })
  expect(load?.findings?.[0]).toMatchObject({
    code: 'events-not-written',
    params: { problem: expect.stringContaining(problem) },
  })
  expect({ ok: load?.requests.ok, ledger: load?.credits.ledger, exitCode }).toEqual({
    ok: 20,
    ledger: load?.credits.counted,
    exitCode: 3,
  })
})

test('a run removes the temporary directory of a killed run', async () => {
  const env = { TMPDIR: directory }
  const list = async () => (await readdir(directory)).filter((name) => name.startsWith('touchstone-load-'))
  const { exitCode } = await runLoad('--rate 5 --duration 60s', {
    env,
    onStart: (child) => {
      child.stderr?.on('data', (data: Buffer) => {
        if (data.toString().includes('sent')) child.kill('SIGKILL')
      })
    },
  })
  expect(exitCode).toBeNull()
  expect(await list()).toHaveLength(1)
  await runLoad('--iterations 1', { env })
  expect(await list()).toEqual([])
})
