import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parseSettings } from '../../scenarios/lib/parse-settings.ts'
import { findGeneratorProblem } from './k6-exit.ts'
import { runK6 } from './run-k6.ts'

test.runIf(process.platform !== 'win32')('reports a k6 that the system cannot start', async ({ signal }) => {
  const path = join(await mkdtemp(join(tmpdir(), 'touchstone-k6-')), 'k6')
  await writeFile(path, 'not a program', { mode: 0o644 })
  const settings = parseSettings({ TOUCHSTONE_TARGET: 'http://127.0.0.1:1' })
  const run = { scenario: 'chat', settings, keys: {}, keepsEvents: false, signal }
  for (const [k6, problem] of [
    [path, 'EACCES'],
    [`${path}-missing`, 'ENOENT'],
  ] as const) {
    const finding = findGeneratorProblem(await runK6({ ...run, k6 }))
    expect(finding).toEqual({ code: 'k6-not-started', params: { path: k6, problem } })
  }
})
