// The list of faults.
import { cell, element, setText } from './dom.js'
import { formatInteger, formatPairs } from './format.js'
import { changeItem, createRemoveButton } from './rule-list.js'

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

function createRow({ id, rule }) {
  const toggle = element('input', { type: 'checkbox', 'aria-label': `${id} is enabled` })
  toggle.addEventListener('change', () => changeItem('faults', id, 'PATCH', { enabled: toggle.checked }))
  const hits = cell('', 'number')
  const text = element('span', {}, element('span', { class: 'about' }, `${id} `), formatPairs(rule))
  const remove = cell(createRemoveButton('faults', id), 'actions')
  return {
    row: element('tr', {}, cell(toggle), cell(text, 'code long'), hits, remove),
    update: (fault) => {
      toggle.checked = fault.enabled
      setText(hits, `${formatInteger(fault.used)} of ${formatInteger(fault.matched)}`)
      hits.title = `injected into ${fault.used} of ${fault.matched} matching requests`
    },
  }
}

export const FAULTS = {
  path: 'faults',
  name: 'fault',
  rule: 'oldest match applies',
  whenEmpty: 'No faults: every valid request succeeds. Add a fault to test errors and retries.',
  create: createRow,
  examples: EXAMPLES,
  parse: (text) => text,
}
