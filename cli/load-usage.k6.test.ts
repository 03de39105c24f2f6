import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { useK6 } from './testing/run-load.ts'

const runLoad = useK6()

// docs/reference/messages.md shows the messages for which load needs neither k6 nor a target.
test.each([
  [
    'a cost above --max-credits',
    '--scenario chat --max-credits 0.5',
    'more than --max-credits 0.5. Reduce the load, or confirm with --yes.',
  ],
  ['an invalid trace', '--trace NOT_JSON', "The trace's line 1"],
  [
    'a path without a k6',
    '--scenario chat',
    'Invalid TOUCHSTONE_K6. nowhere is not a k6 binary that runs on this machine',
    'nowhere',
  ],
  ['an unknown option of k6', '-- --bogus', 'unknown flag: --bogus'],
])('exits with 2, prints one line and writes no document for %s', async (_name, line, words, k6?: string) => {
  const notJson = join(await mkdtemp(join(tmpdir(), 'touchstone-load-')), 'trace.jsonl')
  await writeFile(notJson, 'not JSON\n')
  const known = { NOT_JSON: notJson }
  const { exitCode, stdout, stderr, load } = await runLoad(line, { known, ...(k6 && { env: { TOUCHSTONE_K6: k6 } }) })
  const received = stderr.split('\n').filter((text) => text !== '' && text !== 'running')
  expect(received.join('\n')).toContain(words)
  expect(received).toHaveLength(1)
  expect({ exitCode, stdout, load }).toEqual({ exitCode: 2, stdout: '', load: undefined })
})
