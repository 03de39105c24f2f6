// The list of fixtures.
import { call } from './api.js'
import { attempt, openDialog, registerForm, showMessage } from './dialogs.js'
import { byId, button, cell, createLocalPager, element, hiddenText, setText, syncRows } from './dom.js'
import { formatInteger, formatValue } from './format.js'

const PAGE_SIZE = 10

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

let refreshPage
let pageOf

export async function refreshFixtures() {
  const { fixtures } = await call('fixtures')
  const shown = pageOf(fixtures)
  setText(
    byId('fixtures-about'),
    fixtures.length === 0 ? '' : `${formatInteger(fixtures.length)}, first match responds`,
  )
  syncRows(byId('fixtures').tBodies[0], shown, {
    keyOf: ({ id }) => id,
    create: createRow,
    whenEmpty: 'No fixtures: the emulator generates all responses. Add a fixture to script a response.',
  })
}

function createRow({ id, fixture }) {
  const remove = button(
    'Remove',
    () =>
      attempt(async () => {
        await call(`fixtures/${encodeURIComponent(id)}`, 'DELETE')
        showMessage(`${id} was removed.`)
        await refreshPage()
      }),
    { class: 'small' },
  )
  remove.append(hiddenText(` ${id}`))
  const hits = cell('', 'number')
  const content = element(
    'pre',
    { tabindex: '0', role: 'region', 'aria-label': `JSON of ${id}` },
    JSON.stringify(fixture, null, 2),
  )
  const summary = element('summary', {}, element('span', { class: 'about' }, `${id} `), describeFixture(fixture))
  return {
    row: element('tr', {}, cell(element('details', {}, summary, content), 'code long'), hits, cell(remove, 'actions')),
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

/** Opens the form for a new fixture, filled in with a fixture. */
export function openNewFixture(fixture) {
  const input = byId('fixture')
  if (fixture !== undefined) input.value = JSON.stringify(fixture, null, 2)
  openDialog('add-fixture')
  input.focus()
}

function parseFixture(text) {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new Error(`This is not valid JSON: ${error.message}.`, { cause: error })
  }
}

/**
 * Registers the form for fixtures, its examples and its buttons.
 * @param refresh reads everything that the page shows
 */
export function registerFixtures(refresh) {
  refreshPage = refresh
  pageOf = createLocalPager('fixtures-pager', PAGE_SIZE, () => attempt(refreshFixtures))
  const example = byId('fixture-example')
  example.append(
    element('option', { value: '' }, 'choose one to fill in the fixture'),
    ...Object.keys(EXAMPLES).map((name) => element('option', {}, name)),
  )
  example.addEventListener('change', () => {
    if (example.value !== '') byId('fixture').value = JSON.stringify(EXAMPLES[example.value], null, 2)
  })
  byId('open-add-fixture').addEventListener('click', () => openNewFixture())
  registerForm('add-fixture', async () => {
    const { fixtures } = await call('fixtures', 'POST', parseFixture(byId('fixture').value))
    byId('fixture').value = ''
    example.value = ''
    byId('add-fixture').close()
    showMessage(`${fixtures.length === 1 ? fixtures[0].id : `${fixtures.length} fixtures`} added.`)
    await refreshPage()
  })
}
