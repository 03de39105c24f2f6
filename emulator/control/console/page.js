// The console: shows the state of the emulator, and keeps it up to date.
import { ControlError, call, describeError, setToken } from './api.js'
import { forgetAccounts, refreshAccounts, registerAccounts } from './accounts.js'
import { copyText, openDialog, registerDialogs, registerForm, showMessage } from './dialogs.js'
import { byId, element, setText } from './dom.js'
import { FAULTS } from './faults.js'
import { FIXTURES } from './fixtures.js'
import { formatInteger } from './format.js'
import { refreshAudit, refreshTiming } from './observations.js'
import { refreshRequests, registerRequests } from './requests.js'
import { registerRequestDetail } from './request-detail.js'
import { refreshList, registerList } from './rule-list.js'

/** Time between two updates, in milliseconds. Longer after a slow update. */
const POLL_MS = 1000
const MAX_BUSY_SHARE = 0.1

async function refreshAll() {
  const [health, clock, log] = await Promise.all([
    call('health'),
    call('clock'),
    refreshRequests(),
    refreshAccounts(),
    refreshList(FAULTS),
    refreshList(FIXTURES),
    refreshAudit(),
    refreshTiming(),
  ])
  showState(`Running · ${describeLoad(health)} · ${formatInteger(log.kept + log.forgotten)} responses`)
  const time = new Date(clock.unixSeconds * 1000).toISOString().replace('T', ' ').slice(0, 19)
  showAdditions(health)
  setText(byId('clock'), `${clock.kind} clock${clock.running === false ? ', standing' : ''} · ${time} UTC`)
  byId('unlock').hidden = true
}

/** Describes the requests in progress. With a limited number of slots, also those that wait for a slot. */
function describeLoad({ inFlight, slots }) {
  const load = `${formatInteger(inFlight)} in flight`
  if (slots === undefined) return load
  return `${load} · ${formatInteger(slots.busy)} of ${formatInteger(slots.size)} slots busy · ${formatInteger(slots.waiting)} waiting`
}

/** Shows the models and operations that the specification does not have. */
function showAdditions({ customModels = [], extensions = [] }) {
  const parts = [
    ...(customModels.length === 0 ? [] : [`Added models: ${customModels.join(', ')}`]),
    ...(extensions.length === 0 ? [] : [`Extensions: ${extensions.join(', ')}`]),
  ]
  setText(byId('additions'), parts.join(' · '))
  const filter = byId('by-operation')
  const missing = extensions.filter((name) => ![...filter.options].some(({ value }) => value === name))
  filter.append(...missing.map((name) => element('option', {}, name)))
}

/** Shows the state of the emulator, or the reason why it is unknown. Screen readers announce only the reason. */
function showState(sentence, problem = '') {
  byId('state').className = problem === '' ? 'good' : 'bad'
  setText(byId('state'), sentence)
  setText(byId('problem'), problem)
}

async function refresh() {
  try {
    await refreshAll()
  } catch (error) {
    if (error instanceof ControlError && error.status === 401) {
      showState('Locked', error.message)
      byId('unlock').hidden = false
    } else {
      showState('Not connected', describeError(error))
    }
  }
}

function registerHeader() {
  const baseUrl = `${location.origin}/v1`
  setText(byId('base-url'), baseUrl)
  byId('copy-base-url').addEventListener('click', ({ currentTarget }) => copyText(baseUrl, currentTarget))
  byId('open-reset').addEventListener('click', () => openDialog('reset'))
  registerForm('reset', async () => {
    await call('reset', 'POST')
    forgetAccounts()
    byId('reset').close()
    showMessage('The emulator was reset.')
    await refresh()
  })
  byId('unlock').addEventListener('submit', (event) => {
    event.preventDefault()
    setToken(byId('token').value)
    byId('token').value = ''
    void refresh()
  })
}

async function poll() {
  for (;;) {
    const startedAt = performance.now()
    // A hidden page sends no requests.
    if (!document.hidden) await refresh()
    const busyMs = performance.now() - startedAt
    await new Promise((resolve) => setTimeout(resolve, Math.max(POLL_MS, busyMs / MAX_BUSY_SHARE)))
  }
}

registerDialogs()
registerHeader()
registerRequestDetail()
registerRequests(refresh)
registerAccounts(refresh)
for (const list of [FAULTS, FIXTURES]) registerList(list, refresh)
void poll()
