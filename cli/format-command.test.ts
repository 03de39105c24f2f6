import { expect, test } from 'vitest'
import { replaceCommandNames, formatCommand } from './format-command.ts'

const INSTALLED = 'file:///app/node_modules/touchstone/dist/cli/format-command.js'

test('formats a command for a clone and for an installed package', () => {
  expect(formatCommand('conformance', '--target a.json')).toBe('npm run conformance -- --target a.json')
  expect(formatCommand('conformance', '--target a.json', INSTALLED)).toBe(
    'npx --no touchstone conformance --target a.json',
  )
})

test.each([
  ['touchstone doctor', 'npm run doctor', 'npx --no touchstone doctor'],
  [
    '`touchstone emulator --port 1` starts it',
    '`npm run emulator -- --port 1` starts it',
    '`npx --no touchstone emulator --port 1` starts it',
  ],
  ['touchstone report compare a b', 'npm run report -- compare a b', 'npx --no touchstone report compare a b'],
  ['Usage: touchstone load [options]', 'Usage: npm run load -- [options]', 'Usage: npx --no touchstone load [options]'],
  ['See touchstone --help.', 'See npx node cli/bin.js --help.', 'See npx --no touchstone --help.'],
  ['npx --no touchstone init', 'npm run init', 'npx --no touchstone init'],
])('adapts the commands in %j to a clone', (text, inClone, installed) => {
  expect(replaceCommandNames(text)).toBe(inClone)
  expect(replaceCommandNames(text, INSTALLED)).toBe(installed)
})

test.each(['dist/touchstone load', 'touchstone emulator-like', 'a touchstone is a stone'])(
  'does not change %j',
  (text) => {
    expect(replaceCommandNames(text, INSTALLED)).toBe(text)
  },
)
