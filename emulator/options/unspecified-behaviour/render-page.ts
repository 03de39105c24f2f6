import { SILENCES } from '../../../contract/silences.ts'
import { DECISIONS, type DecisionId } from './decisions.ts'
import { SILENCES_DECIDED } from './options-by-gap.ts'

const HEAD = `# Decisions of the emulator

The document leaves points open; an emulator has to do something all the same. This page is generated from
\`emulator/options/unspecified-behaviour/\`: every point, what is done by default, what can be done instead, and why. Each is a setting:

- a flag: \`touchstone emulator --decide error-body=detail --decide most-n=4\`
- the environment: \`TOUCHSTONE_EMULATOR_DECISIONS='error-body=detail,most-n=4'\`
- a config file: \`{"decisions": {"error-body": "detail", "most-n": 4}}\`
- in process: \`startEmulator({ decisions: { 'error-body': 'detail', 'most-n': 4 } })\`
`

/** The page of decisions, as Markdown. */
export function renderDecisionsPage(): string {
  const ids = Object.keys(DECISIONS) as DecisionId[] // Object.keys forgets what the type knows
  const rows = ids.map((id) => `| \`${id}\` | ${DECISIONS[id].about} | ${renderChoices(id)} | ${DECISIONS[id].why} |`)
  const silences = SILENCES.map(({ id, section, quote }) => `| ${section} | ${quote} | ${renderDecided(id)} |`)
  return [
    HEAD,
    '## All decisions',
    '',
    '| id | what is left open | choices, the default first | why |',
    '|---|---|---|---|',
    ...rows,
    '',
    '## What the document says is not shown',
    '',
    '| section | silence | decided by |',
    '|---|---|---|',
    ...silences,
    '',
  ].join('\n')
}

function renderChoices(id: DecisionId): string {
  const row = DECISIONS[id]
  switch (row.kind) {
    case 'choice': {
      const choices: [name: string, meaning: string][] = Object.entries(row.choices)
      const defaultFirst = choices.toSorted(([a], [b]) => Number(b === row.byDefault) - Number(a === row.byDefault))
      return defaultFirst.map(([name, meaning]) => `\`${name}\`: ${meaning}`).join('<br>')
    }
    case 'limit':
      return `\`${row.byDefault}\`, or from ${row.least} to ${row.most}`
    case 'list':
      return `\`any\`, or a list such as \`${row.example.join('+')}\``
    case 'map':
      return '`all`, or a map such as `images:vendorc-4o+vendorc-4o-mini;speech:vendorc-4o`'
  }
}

function renderDecided(id: string): string {
  const decided = SILENCES_DECIDED[id] ?? ''
  return typeof decided === 'string' ? decided : decided.map((decision) => `\`${decision}\``).join(', ')
}
