import { existsSync } from 'node:fs'
import { expect, test } from 'vitest'
import { findDocumentation } from './find-documentation.ts'

test('finds the documentation of a clone, relative to the working directory', () => {
  expect(findDocumentation()).toMatch(/docs[\\/]README\.md$/)
  expect(existsSync(findDocumentation() ?? '')).toBe(true)
})
