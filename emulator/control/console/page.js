// The console's script. It shows responses of the control interface, and inserts every text as text: what clients send
// never becomes markup.

const POLL_MS = 1000
const MOST_ACCOUNTS_SHOWN = 100

const byId = (id) => document.getElementById(id)

// In the fragment of the URL, which browsers never send and servers never log.
const token = new URLSearchParams(location.hash.slice(1)).get('token')

/** @returns {Promise<any>} the JSON answer; throws the sentence of an error */
async function call(path, method = 'GET', body) {
  const headers = {
    ...(token === null ? {} : { 'x-touchstone-token': token }),
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
  }
  const payload = body === undefined ? {} : { body: JSON.stringify(body) }
  const response = await fetch(`/__emulator/${path}`, { method, headers, ...payload })
  const text = await response.text()
  const json = text === '' ? undefined : JSON.parse(text)
  if (!response.ok) throw new Error(json?.error ?? `Status ${response.status}`)
  return json
}

/** A cell with a text, or with an element. */
function cell(content, className = '') {
  const td = document.createElement('td')
  td.className = className
  td.append(content instanceof Node ? content : String(content))
  return td
}

/** What each table shows now, so that it is written anew only where something changed. */
const shown = new Map()

/** Fills a table with one row per item, or with a sentence if there are none. */
function fill(id, items, toCells, whenEmpty) {
  const state = JSON.stringify(items)
  if (shown.get(id) === state) return
  shown.set(id, state)
  const focused = document.activeElement?.dataset.id
  const body = byId(id).tBodies[0]
  const rows = items.map((item) => {
    const row = document.createElement('tr')
    row.append(...toCells(item))
    return row
  })
  if (rows.length === 0) {
    const only = cell(whenEmpty, 'about')
    only.colSpan = 10
    const row = document.createElement('tr')
    row.append(only)
    rows.push(row)
  }
  body.replaceChildren(...rows)
  if (focused !== undefined) body.querySelector(`[data-id="${CSS.escape(focused)}"]`)?.focus()
}

function clientName(account, keySuffix) {
  if (account !== null) return account
  return keySuffix === null ? 'no key' : `unknown key …${keySuffix}`
}

function rounded(ms) {
  return ms === null ? '' : ms.toFixed(ms < 100 ? 1 : 0)
}

function remarkOn({ refused, fault, clientLeft, stream }) {
  const parts = [refused, fault, clientLeft ? 'aborted by client' : null, stream ? 'stream' : null]
  return parts.filter((part) => part !== null).join(', ')
}

/** Hours to seconds, and milliseconds where there is room. */
function timeOf({ time }) {
  const rest = document.createElement('span')
  rest.className = 'mid'
  rest.textContent = time.slice(19, 23)
  const whole = document.createElement('span')
  whole.append(time.slice(11, 19), rest)
  return whole
}

function requestCells(entry) {
  const isGood = entry.status !== null && entry.status < 400
  return [
    cell(timeOf(entry), 'tight'),
    cell(clientName(entry.account, entry.keySuffix), 'long'),
    cell(entry.operation ?? `${entry.method} ${entry.path}`, 'long'),
    cell(entry.model ?? '', 'wide'),
    cell(entry.status ?? 'none', isGood ? 'good' : 'bad'),
    cell(entry.tokens, 'wide number'),
    cell(entry.charged, 'mid number'),
    cell(rounded(entry.ttftMs), 'wide number'),
    cell(rounded(entry.totalMs), 'mid number'),
    cell(remarkOn(entry), 'long'),
  ]
}

function accountCells({ id, keySuffix, credits, held, charged }) {
  return [
    cell(id, 'long'),
    cell(`…${keySuffix}`, 'wide code'),
    cell(credits, 'number'),
    cell(held, 'number'),
    cell(charged, 'number'),
  ]
}

function faultCells({ id, enabled, matched, used, rule }) {
  const toggle = document.createElement('input')
  toggle.type = 'checkbox'
  toggle.checked = enabled
  toggle.dataset.id = id
  toggle.setAttribute('aria-label', `${id} is enabled`)
  toggle.addEventListener('change', () => {
    shown.delete('faults') // shows an error response, too
    void act(() => call(`faults/${encodeURIComponent(id)}`, 'PATCH', { enabled: toggle.checked }))
  })
  const text = Object.entries(rule).map(([name, value]) => `${name}=${textOf(value)}`)
  return [cell(toggle), cell(`${id}: ${text.join(', ')}`, 'code long'), cell(matched, 'number'), cell(used, 'number')]
}

function textOf(value) {
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

function timingCells([name, lateness]) {
  const figures = ['n', 'p50Ms', 'p90Ms', 'p99Ms', 'maxMs'].map((figure) => lateness?.[figure] ?? '')
  return [cell(name), ...figures.map((figure, index) => cell(figure, index === 2 ? 'wide number' : 'number'))]
}

function conductCells({ who, finding }) {
  const evidence = finding.evidence.map(({ requestId, earlierRequestId }) =>
    earlierRequestId === undefined ? requestId : `${requestId} after ${earlierRequestId}`,
  )
  return [
    cell(who, 'long'),
    cell(`${finding.kind}: ${finding.sentence}`),
    cell(finding.count, 'number'),
    cell(evidence.join(', '), 'wide'),
  ]
}

async function refresh() {
  const [health, clock, journal, { accounts }, { faults }, timing, conduct] = await Promise.all([
    call('health'),
    call('clock'),
    call('journal?tail=50'),
    call('accounts'),
    call('faults'),
    call('timing'),
    call('conduct'),
  ])
  const requests = `${journal.kept + journal.forgotten} answered`
  say(`Running · ${health.inFlight} in flight · ${requests}`, 'good')
  const time = new Date(clock.unixSeconds * 1000).toISOString().replace('T', ' ').slice(0, 19)
  byId('clock').textContent = `${clock.kind} clock${clock.running === false ? ', standing' : ''} · ${time} UTC`
  fill('requests', journal.entries.toReversed(), requestCells, 'No requests yet.')
  const latest = accounts.slice(-MOST_ACCOUNTS_SHOWN)
  byId('accounts-about').textContent =
    latest.length < accounts.length ? `The newest ${latest.length} of ${accounts.length} accounts.` : ''
  fill('accounts', latest, accountCells, 'No accounts.')
  fill('faults', faults, faultCells, 'No faults: every valid request succeeds.')
  fill(
    'timing',
    ['first', 'all', 'last'].map((name) => [name, timing[name]]),
    timingCells,
    '',
  )
  const findings = conduct.clients.flatMap(({ account, keySuffix, findings }) =>
    findings.map((finding) => ({ who: clientName(account, keySuffix), finding })),
  )
  fill('conduct', findings, conductCells, 'No findings.')
}

function say(sentence, className) {
  const state = byId('state')
  state.className = className
  if (state.textContent !== sentence) state.textContent = sentence
}

/** Does something that was asked for, and shows what became of it. */
async function act(action) {
  try {
    await action()
    byId('fault-error').textContent = ''
  } catch (error) {
    byId('fault-error').className = 'bad'
    byId('fault-error').textContent = error.message
  }
  await tryRefresh()
}

async function tryRefresh() {
  try {
    await refresh()
  } catch (error) {
    const isGone = error instanceof TypeError // as fetch has it where nothing answers
    say(isGone ? 'The emulator does not respond. Is it still running?' : error.message, 'bad')
  }
}

byId('add-fault').addEventListener('submit', (event) => {
  event.preventDefault()
  const input = byId('fault')
  void act(async () => {
    await call('faults', 'POST', input.value)
    input.value = ''
  })
})

for (;;) {
  // A page that nobody sees asks for nothing.
  if (!document.hidden) await tryRefresh()
  await new Promise((resolve) => setTimeout(resolve, POLL_MS))
}
