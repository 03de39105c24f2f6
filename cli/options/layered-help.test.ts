import { Command, CommanderError } from 'commander'
import { expect, test } from 'vitest'
import type { OptionTable } from '../../common/options/option-table.ts'
import { addOptions } from './add-options.ts'
import { addLayeredHelp } from './layered-help.ts'

const TABLE = {
  target: { flag: '--target', placeholder: 'url', type: 'string', description: 'base URL' },
  rate: { flag: '--rate', placeholder: 'n', type: 'number', description: 'requests per second' },
} as const satisfies OptionTable

function helpOf(flag: string): string {
  let text = ''
  const write = (part: string) => (text += part)
  const command = new Command('load').exitOverride().configureOutput({ writeOut: write, writeErr: write })
  addOptions(command, TABLE)
  addLayeredHelp(command, TABLE, { common: ['target'], details: '\nScenarios: chat\n', examples: '\nExamples: none\n' })
  expect(() => command.parse([flag], { from: 'user' })).toThrow(CommanderError)
  return text
}

test('--help lists the common options, and --help-all lists all options in two groups', () => {
  const common = helpOf('--help')
  expect(common).toMatch(/Common options:\n {2}--target <url> .*\n\nHelp:\n {2}--help-all .*list all 2 options/)
  expect(common).not.toMatch(/--rate|Other options|Scenarios/)
  const all = helpOf('--help-all')
  expect(all).toMatch(/Common options:\n {2}--target .*\n\nOther options:\n {2}--rate .*\n\nHelp:/)
  expect(all).toMatch(/Scenarios: chat\n\nExamples: none/)
})

test('suggests an option that --help does not list', () => {
  expect(helpOf('--rtae')).toContain('Did you mean --rate?')
})
