// The list of requests: filters, pages, and new requests.
import { call } from './api.js'
import { byId, button, cell, createAmount, element, hiddenText, setText, syncPager, syncRows } from './dom.js'
import { attempt, showMessage } from './dialogs.js'
import { formatCredits, formatInteger, formatMs, nameClient } from './format.js'
import { showRequest } from './request-detail.js'

// A narrow screen shows a request in two lines.
const PAGE_SIZE = matchMedia('(max-width: 40rem)').matches ? 10 : 25

/** `seq` before which each page ends, from the newest page to the shown one. Null is the newest page. */
let pageEnds = [null]
let shown = []
let isPaused = false
let refreshPage

function readFilters() {
  const [account, operation, status] = ['by-account', 'by-operation', 'by-status'].map((id) => byId(id).value.trim())
  return Object.fromEntries(Object.entries({ account, operation, status }).filter(([, value]) => value !== ''))
}

/** Reads the log, and shows its page. */
export async function refreshRequests({ isAsked = false } = {}) {
  const filters = readFilters()
  const end = pageEnds.at(-1)
  // One entry more than a page shows whether there is an older page.
  const query = new URLSearchParams({ ...filters, tail: String(PAGE_SIZE + 1), bodies: '0' })
  if (end !== null) query.set('before', String(end))
  const log = await call(`request-log?${query}`)
  if (JSON.stringify(filters) !== JSON.stringify(readFilters()) || end !== pageEnds.at(-1)) return log
  const hasOlder = log.entries.length > PAGE_SIZE
  const entries = log.entries.toReversed().slice(0, PAGE_SIZE)
  const isNewer = (entries[0]?.seq ?? 0) > (shown[0]?.seq ?? 0)
  const fresh = isNewer ? entries.filter(({ seq }) => seq > (shown[0]?.seq ?? 0)).length : 0
  const isHeld = !isAsked && fresh > 0 && shown.length > 0 && shouldHold()
  showFresh(isHeld ? fresh : 0)
  if (!isHeld) showEntries(entries, { filters, log, hasOlder })
  return log
}

/** Returns true if inserted rows would move a row that the user reads or operates. */
function shouldHold() {
  const table = byId('requests')
  const isUsed = table.tBodies[0].contains(document.activeElement) || byId('request').open
  return isPaused || isUsed || table.getBoundingClientRect().top < 0
}

function showFresh(count) {
  const target = byId('show-new')
  target.hidden = count === 0
  setText(target, `Show ${count === PAGE_SIZE ? `${count} or more` : count} new request${count === 1 ? '' : 's'}`)
}

function showEntries(entries, { filters, log, hasOlder }) {
  shown = entries
  const isFiltered = Object.keys(filters).length > 0
  byId('clear-filters').disabled = !isFiltered
  syncRows(byId('requests').tBodies[0], entries, {
    keyOf: ({ seq }) => seq,
    create: (entry) => ({ row: createRow(entry) }),
    whenEmpty: isFiltered
      ? 'No request in the log matches these filters.'
      : `No requests yet. Send a request to ${location.origin}/v1 with a key of an account.`,
  })
  const dropped = log.forgotten > 0 ? `, ${formatInteger(log.forgotten)} older dropped` : ''
  setText(byId('requests-about'), `${formatInteger(log.kept)} in the log${dropped}`)
  syncPager('requests-pager', {
    text: entries.length === 0 ? '' : `No. ${formatInteger(entries[0].seq)} to ${formatInteger(entries.at(-1).seq)}`,
    hasNewer: pageEnds.length > 1,
    hasOlder,
    onNewest: () => go([null]),
    onNewer: () => pageEnds.length > 1 && go(pageEnds.slice(0, -1)),
    onOlder: () => shown.length === PAGE_SIZE && go([...pageEnds, shown.at(-1).seq]),
  })
}

function go(ends) {
  pageEnds = ends
  void attempt(() => refreshRequests({ isAsked: true }))
}

function createRow(entry) {
  const isGood = entry.status !== null && entry.status < 400
  const open = button(createTime(entry.time), () => openEntry(entry.seq), { class: 'link', 'data-seq': entry.seq })
  open.append(hiddenText(`, details of ${entry.id}`))
  const row = element(
    'tr',
    { class: 'row' },
    cell(open, 'tight'),
    cell(nameClient(entry.account, entry.keyFingerprint), 'long'),
    cell(createOperation(entry), 'long'),
    cell(entry.status ?? 'none', isGood ? 'good' : 'bad'),
    cell(formatInteger(entry.tokens), `wide number${entry.tokens === 0 ? ' about' : ''}`),
    cell(createAmount(entry.charged === '0' ? ['', '0.0000'] : formatCredits(entry.charged)), 'mid number'),
    cell(formatMs(entry.ttftMs), 'wide number'),
    cell(formatMs(entry.totalMs), 'mid number'),
    cell(describeNotes(entry), 'long'),
  )
  row.addEventListener('click', ({ target }) => {
    // A click that ends a selection of text does not open the request.
    if (target instanceof Element && target.closest('button') === null && getSelection()?.isCollapsed)
      openEntry(entry.seq)
  })
  return row
}

function createOperation({ operation, method, path, model }) {
  const name = element('span', {}, operation ?? `${method} ${path}`)
  if (model !== null) name.append(' ', element('span', { class: 'about wide' }, model))
  return name
}

/** Creates a time with hours, minutes and seconds, and with milliseconds if the page is wide enough. */
function createTime(time) {
  return element('span', {}, time.slice(11, 19), element('span', { class: 'mid' }, time.slice(19, 23)))
}

function describeNotes({ refused, fault, fixture, truncation, ignoredFields, clientLeft, stream }) {
  const ignored = ignoredFields?.length ?? 0
  const parts = [
    refused,
    fault,
    fixture,
    truncation ? 'truncated' : null,
    ignored > 0 ? `${ignored} ignored` : null,
    clientLeft ? 'aborted by client' : null,
    stream ? 'stream' : null,
  ]
  return parts.filter((part) => typeof part === 'string').join(', ')
}

/** Opens the details of a request. The dialog can then show the neighbouring requests in the list. */
function openEntry(seq) {
  void showRequest(seq, {
    neighbour: (from, step) => shown[shown.findIndex((entry) => entry.seq === from) + step]?.seq,
    onAccount: (account) => filterByAccount(account),
  })
}

export function filterByAccount(account) {
  byId('by-account').value = account
  applyFilters()
  byId('by-account').focus()
}

function applyFilters() {
  shown = []
  go([null])
}

/** Moves the focus between rows with the arrow keys. */
function moveInList(event) {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
  const open = event.target.closest('[data-seq]')
  if (step === undefined || open === null) return
  event.preventDefault()
  const all = [...byId('requests').querySelectorAll('[data-seq]')]
  all[all.indexOf(open) + step]?.focus()
}

/**
 * Registers the filters, the pager and the keyboard control of the request list.
 * @param refresh reads everything that the page shows
 */
export function registerRequests(refresh) {
  refreshPage = refresh
  byId('filters').addEventListener('submit', (event) => event.preventDefault())
  byId('filters').addEventListener('input', applyFilters)
  byId('clear-filters').addEventListener('click', () => {
    byId('filters').reset()
    applyFilters()
    byId('by-account').focus()
  })
  byId('requests').addEventListener('keydown', moveInList)
  byId('show-new').addEventListener('click', () => {
    byId('requests-title').focus()
    go([null])
  })
  byId('pause').addEventListener('click', ({ currentTarget }) => {
    isPaused = !isPaused
    currentTarget.setAttribute('aria-pressed', String(isPaused))
    void refreshPage()
  })
  byId('clear-log').addEventListener('click', () =>
    attempt(async () => {
      await call('request-log', 'DELETE')
      shown = []
      pageEnds = [null]
      showMessage('The request log is empty.')
      await refreshPage()
    }),
  )
}
