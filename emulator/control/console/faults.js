// The list of faults.
import { call } from './api.js'
import { attempt, openDialog, registerForm, showMessage } from './dialogs.js'
import { byId, button, cell, createLocalPager, element, hiddenText, setText, syncRows } from './dom.js'
import { formatInteger, formatPairs } from './format.js'

const PAGE_SIZE = 10

const EXAMPLES = {
  'Fail twice with 500, then work': 'operation=chat,times=2,status=500',
  'Rate limit once: 429 with Retry-After': 'operation=chat,times=1,status=429,retryAfterSeconds=2',
  'No credits: 402 for one account': 'account=funded,status=402',
  'Cut every stream after 3 events': 'cutAfterEvents=3',
  'Send an error in every stream': 'errorAfterEvents=3',
  'Stall every stream after 3 events': 'stallAfterEvents=3',
  'Delay every response by 3 seconds': 'delayMs=3000',
  'Close one of ten connections': 'probability=0.1,drop',
  'Refuse connections for 3 seconds': 'times=1,loseAt=connection,refuseMs=3000',
  'Charge a response, then lose it': 'times=1,loseAt=after-charge',
  'Status and body of your own': '{"operation": "chat", "status": 503, "body": {"error": {"message": "overloaded"}}}',
}

let refreshPage
let pageOf

export async function refreshFaults() {
  const { faults } = await call('faults')
  const shown = pageOf(faults.toReversed())
  setText(byId('faults-about'), faults.length === 0 ? '' : `${formatInteger(faults.length)}, oldest match applies`)
  syncRows(byId('faults').tBodies[0], shown, {
    keyOf: ({ id }) => id,
    create: createRow,
    whenEmpty: 'No faults: every valid request succeeds. Add a fault to test errors and retries.',
  })
}

function createRow({ id, rule }) {
  const toggle = element('input', { type: 'checkbox', 'aria-label': `${id} is enabled` })
  toggle.addEventListener('change', () =>
    attempt(async () => {
      await call(`faults/${encodeURIComponent(id)}`, 'PATCH', { enabled: toggle.checked })
      await refreshPage()
    }),
  )
  const remove = button(
    'Remove',
    () =>
      attempt(async () => {
        await call(`faults/${encodeURIComponent(id)}`, 'DELETE')
        showMessage(`${id} was removed.`)
        await refreshPage()
      }),
    { class: 'small' },
  )
  remove.append(hiddenText(` ${id}`))
  const hits = cell('', 'number')
  const text = element('span', {}, element('span', { class: 'about' }, `${id} `), formatPairs(rule))
  return {
    row: element('tr', {}, cell(toggle), cell(text, 'code long'), hits, cell(remove, 'actions')),
    update: (fault) => {
      toggle.checked = fault.enabled
      setText(hits, `${formatInteger(fault.used)} of ${formatInteger(fault.matched)}`)
      hits.title = `injected into ${fault.used} of ${fault.matched} matching requests`
    },
  }
}

/**
 * Registers the form for faults, its examples and its buttons.
 * @param refresh reads everything that the page shows
 */
export function registerFaults(refresh) {
  refreshPage = refresh
  pageOf = createLocalPager('faults-pager', PAGE_SIZE, () => attempt(refreshFaults))
  const example = byId('fault-example')
  example.append(
    element('option', { value: '' }, 'choose one to fill in the rule'),
    ...Object.entries(EXAMPLES).map(([name, rule]) => element('option', { value: rule }, name)),
  )
  example.addEventListener('change', () => {
    if (example.value !== '') byId('fault').value = example.value
  })
  byId('open-add-fault').addEventListener('click', () => {
    openDialog('add-fault')
    byId('fault').focus()
  })
  registerForm('add-fault', async () => {
    const { faults } = await call('faults', 'POST', byId('fault').value.trim())
    byId('fault').value = ''
    example.value = ''
    byId('add-fault').close()
    showMessage(`${faults.map(({ id }) => id).join(', ')} was added.`)
    await refreshPage()
  })
}
