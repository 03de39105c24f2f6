/*
 * Script of every page: search, filters by verdict and section, expanding, and copy buttons. The script creates these
 * controls itself, so that a browser without scripts shows no controls that do nothing. It sends and stores no data. It
 * writes text with `textContent` only, so that text of a target is never interpreted as HTML.
 */

/**
 * @param {string} selector
 * @returns {HTMLElement[]}
 */
function all(selector, /** @type {ParentNode} */ root = document) {
  return [...root.querySelectorAll(/** @type {'div'} */ (selector))]
}

/** @returns {HTMLDetailsElement[]} */
function allDetails(/** @type {string} */ selector, /** @type {ParentNode} */ root = document) {
  return [...root.querySelectorAll(/** @type {'details'} */ (selector))]
}

/**
 * Creates an element.
 * @template {keyof HTMLElementTagNameMap} Name
 * @param {Name} name
 * @param {Partial<HTMLElementTagNameMap[Name]>} properties
 */
function make(name, properties, /** @type {HTMLElement[]} */ children = []) {
  const element = document.createElement(name)
  Object.assign(element, properties)
  element.append(...children)
  return element
}

addCopyButtons()
// Sections that are collapsed on a narrow screen
if (matchMedia('(max-width: 40rem)').matches) for (const one of allDetails('details[data-narrow]')) one.open = false

const checks = all('[data-check]')
const causes = all('[data-cause]')
const tableRows = all('main tbody tr').filter((row) => row.closest('[data-check]') === null)
const groupHeadings = tableRows.filter(isGroupHeading)
const rows = tableRows.filter((row) => !isGroupHeading(row))
// A page whose rows fit one screen needs no search.
const isSearchable = checks.length > 1 || rows.length >= 40
const folds = allDetails('main details.part, main details.fold')
const openedByFilter = new Set()
/** @type {Map<HTMLElement, string>} */
const texts = new Map()

const search = make('input', {
  type: 'search',
  placeholder: 'Search (press /)',
  spellcheck: false,
  ariaLabel: 'Search this report',
})
const verdict = createVerdictFilter()
const section = createSectionFilter()
const expand = make('button', { type: 'button', textContent: 'Expand all' })
const status = make('span', { className: 'shown', role: 'status' })
addControls()
for (const control of [search, verdict, section]) control.addEventListener('input', applyFilters)
expand.addEventListener('click', toggleAll)
addEventListener('keydown', handleKey)
addEventListener('hashchange', revealTarget)
revealTarget()

/** Adds a copy button to each block of text. Screen readers announce the text of the live region. */
function addCopyButtons() {
  const copied = make('span', { className: 'hidden', ariaLive: 'polite' })
  document.body.append(copied)
  for (const block of all('pre[data-copy]')) {
    const ariaLabel = (block.ariaLabel ?? '').replace(/^C/, 'Copy the c')
    const button = make('button', { type: 'button', className: 'copy', textContent: 'Copy', ariaLabel })
    button.addEventListener('click', async () => {
      try {
        await navigator.clipboard.writeText(block.textContent)
      } catch {
        // Browsers without the clipboard interface copy the selection.
        getSelection()?.selectAllChildren(block)
        document.execCommand('copy')
      }
      button.textContent = copied.textContent = 'Copied'
      setTimeout(() => {
        button.textContent = 'Copy'
        copied.textContent = ''
      }, 2000)
    })
    block.before(button)
  }
}

function isGroupHeading(/** @type {Element | null} */ row) {
  return row !== null && row.querySelector('[scope="rowgroup"]') !== null
}

function textOf(/** @type {HTMLElement} */ element) {
  const text = texts.get(element) ?? element.textContent.toLowerCase()
  texts.set(element, text)
  return text
}

function createVerdictFilter() {
  const present = new Set(checks.map((check) => check.dataset['verdict']))
  const order = ['fail', 'error', 'warn', 'not-testable', 'declared', 'pass', 'observed']
  return createFilter(
    'All verdicts',
    order.filter((one) => present.has(one)),
    (value) => value.replaceAll('-', ' '),
  )
}

function createSectionFilter() {
  const present = [...new Set(checks.map((check) => check.dataset['section'] ?? ''))]
  const names = new Map(
    all('[data-part]').map((part) => [part.dataset['part'], part.querySelector('strong')?.textContent]),
  )
  return createFilter(
    'All sections',
    present.sort((a, b) => a.localeCompare(b, 'en', { numeric: true })),
    (value) => names.get(value) ?? value,
  )
}

/** Creates a selection of one of these values, with a first option that selects all. */
function createFilter(
  /** @type {string} */ label,
  /** @type {string[]} */ values,
  /** @type {(value: string) => string} */ nameOf,
) {
  const options = values.map((value) => make('option', { value, textContent: nameOf(value) }))
  return make('select', { ariaLabel: label }, [make('option', { value: '', textContent: label }), ...options])
}

function addControls() {
  const filters = [verdict, section].filter((select) => select.options.length > 2)
  const controls = make(
    'div',
    { className: 'controls' },
    isSearchable ? [search, ...filters, expand, status] : [expand],
  )
  if (isSearchable) controls.role = 'search'
  const parent = document.querySelector('nav') ?? document.querySelector('main')
  if (isSearchable || all('main details').length > 1) parent?.prepend(controls)
}

function applyFilters() {
  const words = search.value.split(/\s+/).flatMap((word) => (word === '' ? [] : [word.toLowerCase()]))
  const isActive = words.length > 0 || verdict.value !== '' || section.value !== ''
  const matches = (/** @type {string} */ text) => words.every((word) => text.includes(word))
  const isSelected = (/** @type {HTMLElement} */ { dataset }, /** @type {string[]} */ sections) =>
    (verdict.value === '' || dataset['verdict'] === verdict.value) &&
    (section.value === '' || sections.includes(section.value))
  for (const check of checks) {
    check.hidden = !(matches(textOf(check)) && isSelected(check, [check.dataset['section'] ?? section.value]))
  }
  for (const cause of causes) {
    cause.hidden = !(matches(textOf(cause)) && isSelected(cause, (cause.dataset['sections'] ?? '').split(' ')))
  }
  for (const row of rows) {
    const heading = /** @type {HTMLElement | null | undefined} */ (row.parentElement?.firstElementChild)
    row.hidden = !matches(textOf(row) + (heading && isGroupHeading(heading) ? ` ${textOf(heading)}` : ''))
  }
  for (const heading of groupHeadings) {
    heading.hidden = all('tr', heading.parentElement ?? document).every((row) => row === heading || row.hidden)
  }
  for (const part of all('.requirement, details.part, details.fold, main > section')) {
    const filtered = all('[data-check], [data-cause], tbody tr', part)
    part.hidden = isActive && filtered.length > 0 && filtered.every((element) => element.hidden)
  }
  for (const fold of folds) {
    if (isActive && !fold.hidden && !fold.open) {
      fold.open = true
      openedByFilter.add(fold)
    } else if (!isActive && openedByFilter.delete(fold)) fold.open = false
  }
  status.textContent = isActive ? countShown() : ''
}

function countShown() {
  if (checks.length === 0) return `${rows.filter((row) => !row.hidden).length} of ${rows.length} rows`
  const count = (/** @type {HTMLElement[]} */ elements) => new Set(elements.map(({ dataset }) => dataset['check'])).size
  return `${count(checks.filter((check) => !check.hidden))} of ${count(checks)} checks`
}

function toggleAll() {
  const isExpanding = expand.textContent === 'Expand all'
  for (const one of allDetails('main details')) if (!one.hidden) one.open = isExpanding
  expand.textContent = isExpanding ? 'Collapse all' : 'Expand all'
}

function handleKey(/** @type {KeyboardEvent} */ event) {
  const isTyping = event.target instanceof Element && /^(input|select|textarea)$/i.test(event.target.tagName)
  if (isSearchable && event.key === '/' && !isTyping && !event.ctrlKey && !event.metaKey) {
    event.preventDefault()
    search.focus()
  } else if (event.key === 'Escape' && event.target === search) {
    search.value = ''
    applyFilters()
  }
}

/** Shows the target of a link to a check that a filter hides, or that is folded. */
function revealTarget() {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)))
  if (target === null) return
  if (target.closest('[hidden]') !== null) {
    search.value = verdict.value = section.value = ''
    applyFilters()
  }
  for (const fold of allDetails(':scope > details.fold', target)) fold.open = true
  for (let one = target.closest('details'); one; one = one.parentElement?.closest('details') ?? null) one.open = true
  target.scrollIntoView()
}
