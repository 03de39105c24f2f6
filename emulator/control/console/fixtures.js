// The list of fixtures.
import { byId, cell, element, setText } from './dom.js'
import { formatInteger, formatValue } from './format.js'
import { createRemoveButton, openAddForm } from './rule-list.js'

/** Fields of a fixture that describe the response. The other fields are conditions. */
const RESPONSE_FIELDS = [
  'text',
  'reasoning',
  'json',
  'toolCalls',
  'finishReason',
  'body',
  'generated',
  'status',
  'fault',
  'headers',
  'steps',
  'attempts',
]

const EXAMPLES = {
  Text: { message: 'Say hello.', text: 'Hello, world!' },
  'JSON, found by a regular expression': {
    message: { matches: 'weather', flags: 'i' },
    json: { city: 'Paris', celsius: 21 },
  },
  'Tool call, then the final text': {
    message: { matches: 'weather', flags: 'i' },
    steps: [{ toolCalls: [{ name: 'get_weather', arguments: { city: 'Paris' } }] }, { text: 'It is 21 °C in Paris.' }],
  },
  'Error, then a text': {
    attempts: [{ status: 503, body: { error: { message: 'overloaded' } } }, { text: 'It works again.' }],
  },
  'For one account only': { account: 'funded', text: 'For this account.' },
}

function createRow({ id, fixture }) {
  const hits = cell('', 'number')
  const label = { tabindex: '0', role: 'region', 'aria-label': `JSON of ${id}` }
  const summary = element('summary', {}, element('span', { class: 'about' }, `${id} `), describeFixture(fixture))
  const details = element('details', {}, summary, element('pre', label, formatFixture(fixture)))
  const remove = cell(createRemoveButton('fixtures', id), 'actions')
  return {
    row: element('tr', {}, cell(details, 'code long'), hits, remove),
    update: (state) => setText(hits, formatInteger(state.hits)),
  }
}

/** Describes the conditions and the response of a fixture in one line. */
function describeFixture(fixture) {
  const conditions = Object.entries(fixture).filter(([name]) => !RESPONSE_FIELDS.includes(name))
  const when = conditions.map(([name, value]) => `${name} ${describeCondition(value)}`).join(', ') || 'any chat'
  return shorten(`${when} → ${describeResponse(fixture)}`)
}

function describeCondition(value) {
  return typeof value?.matches === 'string' ? `/${value.matches}/${value.flags ?? ''}` : JSON.stringify(value)
}

function describeResponse({ text, reasoning, json, toolCalls = [], body, status, steps, attempts }) {
  const several = steps ?? attempts
  if (several !== undefined) return several.map(describeResponse).join(', then ')
  const calls = toolCalls.map(({ name, arguments: given = {} }) => `${name}(${formatValue(given)})`)
  const contents = [reasoning, text, json, body]
    .filter((content) => content !== undefined)
    .map((content) => JSON.stringify(content))
  return [...(status === undefined ? [] : [status]), ...contents, ...calls].join(' ')
}

function shorten(text) {
  return text.length > 160 ? `${text.slice(0, 159)}…` : text
}

function formatFixture(fixture) {
  return JSON.stringify(fixture, null, 2)
}

export function openNewFixture(fixture) {
  byId('fixture').value = formatFixture(fixture)
  openAddForm('fixture')
}

function parseFixture(text) {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new Error(`This is not valid JSON: ${error.message}.`, { cause: error })
  }
}

export const FIXTURES = {
  path: 'fixtures',
  name: 'fixture',
  rule: 'first match responds',
  whenEmpty: 'No fixtures: the emulator generates all responses. Add a fixture to script a response.',
  create: createRow,
  examples: Object.fromEntries(Object.entries(EXAMPLES).map(([title, fixture]) => [title, formatFixture(fixture)])),
  parse: parseFixture,
}
