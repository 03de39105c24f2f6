import { formatSection } from '../../../contract/sections.ts'
import { UNSPECIFIED_BEHAVIOUR } from '../../../contract/unspecified-behaviour.ts'
import { BEHAVIOUR_OPTIONS, type BehaviourOptionId } from './behaviour-options.ts'
import { OPTIONS_BY_UNSPECIFIED_BEHAVIOUR } from './options-by-unspecified-behaviour.ts'

const HEAD = `# Options for unspecified behaviour

The emulator has an option for each behaviour that the specification leaves open. This page lists every option with its default, the
alternatives and the reason. It is generated from \`emulator/options/unspecified-behaviour/\`. Set an option in one of four ways:

- a flag: \`touchstone emulator --option error-body=detail --option most-n=4\`
- the environment: \`TOUCHSTONE_EMULATOR_OPTIONS='error-body=detail,most-n=4'\`
- a config file: \`{"options": {"error-body": "detail", "most-n": 4}}\`
- in process: \`startEmulator({ options: { 'error-body': 'detail', 'most-n': 4 } })\`
`

/** Renders `behaviour-options.md`, the page that lists all options for unspecified behaviour. */
export function renderOptionsPage(): string {
  const ids = Object.keys(BEHAVIOUR_OPTIONS) as BehaviourOptionId[] // Restores the key type, which Object.keys widens.
  const rows = ids.map(
    (id) => `| \`${id}\` | ${BEHAVIOUR_OPTIONS[id].topic} | ${renderChoices(id)} | ${BEHAVIOUR_OPTIONS[id].reason} |`,
  )
  const gaps = UNSPECIFIED_BEHAVIOUR.map(
    ({ id, section, quote }) => `| ${formatSection(section)} | ${quote} | ${renderOptionsOf(id)} |`,
  )
  return [
    HEAD,
    '## All options',
    '',
    '| option | unspecified behaviour | values, the default first | reason for the default |',
    '|---|---|---|---|',
    ...rows,
    '',
    '## Behaviour that the specification marks as not shown',
    '',
    '| section | behaviour | options |',
    '|---|---|---|',
    ...gaps,
    '',
  ].join('\n')
}

function renderChoices(id: BehaviourOptionId): string {
  const row = BEHAVIOUR_OPTIONS[id]
  switch (row.kind) {
    case 'choice': {
      const choices: [name: string, meaning: string][] = Object.entries(row.choices)
      const defaultFirst = choices.toSorted(([a], [b]) => Number(b === row.default) - Number(a === row.default))
      return defaultFirst.map(([name, meaning]) => `\`${name}\`: ${meaning}`).join('<br>')
    }
    case 'limit':
      return `\`${row.default}\`, or from ${row.min} to ${row.max}`
    case 'list':
      return `\`any\`, or a list such as \`${row.example.join('+')}\``
    case 'map':
      return '`all`, or a map such as `images:vendorc-4o+vendorc-4o-mini;speech:vendorc-4o`'
  }
}

function renderOptionsOf(id: string): string {
  const options = OPTIONS_BY_UNSPECIFIED_BEHAVIOUR[id] ?? ''
  return typeof options === 'string' ? options : options.map((option) => `\`${option}\``).join(', ')
}
