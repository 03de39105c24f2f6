import { expect, test } from 'vitest'
import { formatCommand } from './format-command.ts'

test('formats a command for a clone and for an installed package', () => {
  expect(formatCommand('conformance', '--target a.json')).toBe('npm run conformance -- --target a.json')
  const installed = 'file:///app/node_modules/touchstone/dist/cli/spell-command.js'
  expect(formatCommand('conformance', '--target a.json', installed)).toBe('touchstone conformance --target a.json')
})
