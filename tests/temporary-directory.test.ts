import { existsSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { setup } from './temporary-directory.ts'

test('what a test leaves lies in one directory, which goes', () => {
  expect(basename(tmpdir())).toMatch(/^ts-\w{6}$/)
  vi.stubEnv('TMPDIR', tmpdir())
  const end = setup()
  const directory = tmpdir()
  writeFileSync(join(directory, 'left'), '')
  end()
  vi.unstubAllEnvs()
  expect(existsSync(directory)).toBe(false)
  expect(tmpdir()).not.toBe(directory)
})
