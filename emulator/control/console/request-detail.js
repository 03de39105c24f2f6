// The details of a request.
import { call } from './api.js'
import { copyText, openDialog, attempt } from './dialogs.js'
import { byId, button, createAmount, element, setText } from './dom.js'
import { formatBytes, formatCount, formatCredits, formatInteger, formatMs, nameClient } from './format.js'
import { openNewFixture } from './fixtures.js'
import { parseBody, readLastUserText, readMessage } from './message.js'

let shownSeq
let links

/**
 * Opens the details of a request, or changes the request of the open dialog.
 * @param given `neighbour(seq, step)` returns the `seq` of the next entry in the list; `onAccount(id)` filters the list
 */
export async function showRequest(seq, given = links) {
  links = given
  await attempt(async () => {
    const { entries } = await call(`request-log?after=${seq - 1}&limit=1`)
    const entry = entries[0]
    if (entry?.seq !== seq) throw new Error('This request is no longer in the log.')
    shownSeq = seq
    setText(byId('request-title'), `${entry.id} · ${entry.method} ${entry.path}`)
    byId('request-body').replaceChildren(...createDetail(entry))
    showNeighbours()
    if (!byId('request').open) openDialog('request')
    byId('request').scrollTop = 0
    await showEventTimes(entry)
  })
}

function showNeighbours() {
  for (const [id, step] of [
    ['newer-request', -1],
    ['older-request', 1],
  ]) {
    byId(id).setAttribute('aria-disabled', String(links.neighbour(shownSeq, step) === undefined))
  }
}

function createDetail(entry) {
  const parsed = entry.bodies && {
    request: parseBody(entry.bodies.request),
    response: parseBody(entry.bodies.response),
  }
  const message = parsed && entry.operation === 'chat' ? readMessage(parsed.response) : undefined
  return [
    createFacts(entry, message),
    createTimeline(entry),
    createActions(entry, parsed),
    ...(message === undefined ? [] : [createMessage(message)]),
    ...(parsed === undefined ? [createBodyHint()] : createBodies(entry, parsed)),
  ]
}

function describeTruncation({ fixtureTokens, maxTokens }) {
  return `the fixture has ${formatInteger(fixtureTokens)} tokens, and the request allows ${formatInteger(maxTokens)}`
}

function createFacts(entry, message) {
  const usage = message?.usage
  const tokens =
    usage && ` (${formatInteger(usage.prompt_tokens)} prompt, ${formatInteger(usage.completion_tokens)} completion)`
  const ignored = entry.ignoredFields ?? []
  const facts = [
    ['Status', describeStatus(entry), entry.status !== null && entry.status < 400 ? 'good' : 'bad'],
    ['Error', entry.refused],
    ['Fault', entry.fault],
    ['Fixture', entry.fixture],
    ['Truncated', entry.truncation && describeTruncation(entry.truncation), 'bad'],
    ['Ignored fields', ignored.length > 0 ? ignored.join(', ') : null, 'bad'],
    ['Account', nameClient(entry.account, entry.keyFingerprint)],
    ['Key', entry.keyFingerprint === null ? null : entry.keyFingerprint],
    ['Operation', entry.operation ?? 'none: the path is not an endpoint'],
    ['Model', entry.model],
    ['Tokens', `${formatInteger(entry.tokens)}${tokens ?? ''}`],
    ['Reasoning tokens', entry.reasoningTokens && formatInteger(entry.reasoningTokens)],
    ['Charge', element('span', {}, createAmount(formatCredits(entry.charged)), ' credits')],
    ['Arrival', entry.time.replace('T', ' ').replace('Z', ' UTC')],
    ['Time in the queue', entry.queuedMs === undefined ? null : `${formatMs(entry.queuedMs)} ms`],
    ['Request body', formatBytes(entry.bytesIn)],
    ['Response body', `${formatBytes(entry.bytesOut)}${entry.stream ? ', stream' : ''}`],
    ['SHA-256', entry.bodySha256],
  ]
  const rows = facts.filter(([, value]) => value !== null && value !== undefined)
  return element(
    'dl',
    { class: 'facts' },
    ...rows.map(([label, value, tone]) =>
      element('div', {}, element('dt', {}, label), element('dd', { class: tone ?? '' }, value)),
    ),
  )
}

function describeStatus({ status, left }) {
  const text = status === null ? 'no response' : String(status)
  if (left === undefined) return text
  const events = left.events ? [formatCount(left.events, 'event')] : []
  const sent = [...events, formatBytes(left.bytes)].join(', ')
  return `${text}, aborted by the client after ${formatMs(left.afterMs)} ms (sent: ${sent})`
}

/** Draws the time to the first byte and the rest of the response. */
function createTimeline({ ttftMs, totalMs }) {
  const first = ttftMs ?? totalMs
  const [waiting, sending] = [element('span', { class: 'waiting' }), element('span', { class: 'sending' })]
  waiting.style.flexGrow = String(first)
  sending.style.flexGrow = String(totalMs - first)
  const texts = [
    ttftMs === null ? 'No byte was sent' : `First byte after ${formatMs(ttftMs)} ms`,
    `end after ${formatMs(totalMs)} ms`,
  ]
  return element(
    'div',
    { class: 'timeline' },
    element('p', {}, element('span', {}, texts.join(', ')), element('span', { id: 'event-times' })),
    element('div', { class: 'track', 'aria-hidden': 'true' }, ...(totalMs === 0 ? [] : [waiting, sending])),
  )
}

async function showEventTimes({ id, stream }) {
  if (!stream) return
  const { responses } = await call(`timing/responses?id=${encodeURIComponent(id)}`)
  const [timing] = responses
  if (timing === undefined || byId('event-times') === null) return
  const { plannedMs, writtenMs } = timing
  const delays = writtenMs.map((written, index) => written - plannedMs[index])
  const interval = writtenMs.length > 1 ? (writtenMs.at(-1) - writtenMs[0]) / (writtenMs.length - 1) : null
  const parts = [
    formatCount(writtenMs.length, 'event'),
    interval === null ? null : `${formatMs(interval)} ms apart on average`,
    writtenMs.length === 0 ? null : `at most ${formatMs(Math.max(...delays))} ms after the planned time`,
  ]
  setText(byId('event-times'), `, ${parts.filter((part) => part !== null).join(', ')}`)
}

function createActions(entry, parsed) {
  const text = readLastUserText(parsed?.request.json)
  const leaveAnd = (action) => () => {
    byId('request').close()
    action()
  }
  const filter = leaveAnd(() => links.onAccount(entry.account))
  const addFixture = leaveAnd(() => openNewFixture({ message: text, text: 'Your response' }))
  const actions = [
    ['Copy request ID', (origin) => copyText(entry.id, origin)],
    ...(entry.account === null ? [] : [[`Requests of ${entry.account}`, filter]]),
    ...(text === undefined ? [] : [['New fixture for this message…', addFixture]]),
  ]
  return element(
    'div',
    { class: 'buttons' },
    ...actions.map(([label, action]) => button(label, action, { class: 'small' })),
  )
}

function createMessage({ reasoning, text, calls, finishReason }) {
  const reason =
    finishReason === null ? 'not finished, or the log kept only its beginning' : `finish reason ${finishReason}`
  const shown = [
    ...(reasoning === '' ? [] : [createText(reasoning, 'Reasoning of the message')]),
    ...(text === '' ? [] : [createText(text, 'Text of the message')]),
    ...calls.map(({ name, arguments: given }) => createText(`${name}(${given})`, `Call of ${name}`)),
  ]
  const heading = element('h3', {}, 'Message ', element('span', { class: 'about' }, reason))
  return element('section', { class: 'part' }, heading, ...shown)
}

function createBodyHint() {
  return element(
    'p',
    { class: 'hint' },
    'Bodies are not in the log. To see the bodies of later requests, start the emulator with ',
    element('code', {}, '--request-log bodies=65536'),
    ', which keeps up to 64 KB of each.',
  )
}

function createBodies({ bodies, bytesIn, bytesOut }, parsed) {
  return [
    createBody('Request body', bodies.request, parsed.request, bytesIn),
    createBody('Response body', bodies.response, parsed.response, bytesOut),
  ]
}

function createBody(title, body, { kind, text }, bytes) {
  const kept = new TextEncoder().encode(body).length
  // Masked keys may make a body shorter.
  const isCut = kind !== 'binary' && kept < bytes && !/sha256:|\(hidden\)/.test(body)
  const remark = isCut ? `the first ${formatBytes(kept)} of ${formatBytes(bytes)}` : formatBytes(bytes)
  const heading = element('h3', {}, `${title} `, element('span', { class: 'about' }, bytes === 0 ? 'empty' : remark))
  const shown = { binary: 'Binary content.', text: 'Text', json: 'JSON', events: 'Event stream' }
  if (body === '') return element('section', { class: 'part' }, heading)
  if (kind === 'binary')
    return element('section', { class: 'part' }, heading, element('p', { class: 'hint' }, shown.binary))
  const copy = button('Copy', (origin) => copyText(text, origin), { class: 'small', 'aria-label': `Copy ${title}` })
  return element('section', { class: 'part' }, element('div', { class: 'bar' }, heading, copy), createText(text, title))
}

function createText(text, label) {
  return element('pre', { tabindex: '0', role: 'region', 'aria-label': label }, text)
}

export function registerRequestDetail() {
  const move = (step) => {
    const seq = links.neighbour(shownSeq, step)
    if (seq !== undefined) void showRequest(seq)
  }
  byId('newer-request').addEventListener('click', () => move(-1))
  byId('older-request').addEventListener('click', () => move(1))
}
