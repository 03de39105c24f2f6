import { existsSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { setup } from './temporary-directory.ts'

test('removes files that tests leave in the temporary directory', () => {
  expect(basename(tmpdir())).toMatch(/^ts-\w{6}$/)
  vi.stubEnv('TMPDIR', dirname(tmpdir()))
  const end = setup()
  const directory = tmpdir()
  writeFileSync(join(directory, 'left'), '')
  end()
  vi.unstubAllEnvs()
  expect(existsSync(directory)).toBe(false)
  expect(tmpdir()).not.toBe(directory)
})

test('every test project uses the same temporary directory', () => {
  const before = tmpdir()
  setup()()
  expect(tmpdir()).toBe(before)
  expect(existsSync(before)).toBe(true)
})
