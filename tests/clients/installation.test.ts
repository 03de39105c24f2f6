import { afterEach, expect, test, vi } from 'vitest'
import { CLIENTS } from './clients.ts'
import { findMissingCommand, readPinnedVersion } from './installation.ts'

afterEach(() => vi.unstubAllEnvs())

test('every client has a pinned version', () => {
  expect(CLIENTS.map(readPinnedVersion)).toEqual(CLIENTS.map(() => expect.stringMatching(/^\d+\.\d+(?:\.\d+)?$/)))
})

test('names the commands that a machine lacks', () => {
  vi.stubEnv('PATH', import.meta.dirname) // This directory contains an entry named `go`.
  expect(findMissingCommand('go')).toBeUndefined()
  expect(findMissingCommand('java')).toBe('mvn and javac must be installed')
  expect(findMissingCommand('requirements-openai-3')).toBe('python3 must be installed')
})
