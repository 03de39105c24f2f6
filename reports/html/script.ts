/**
 * Script of every page: search, filters by verdict and section, expanding, and copy buttons. The script creates these
 * controls itself, so that a browser without scripts shows no controls that do nothing. It sends and stores no data. It
 * writes text with `textContent` only, so that text of a target is never interpreted as HTML.
 */
export const PAGE_SCRIPT = `
'use strict';
(() => {
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];
  const make = (name, properties = {}, children = []) => {
    const element = Object.assign(document.createElement(name), properties);
    element.append(...children);
    return element;
  };

  // Copy buttons. Screen readers announce the text of the live region.
  const copied = make('span', { className: 'hidden' });
  copied.setAttribute('aria-live', 'polite');
  document.body.append(copied);
  for (const block of all('pre[data-copy]')) {
    const button = make('button', { type: 'button', className: 'copy', textContent: 'Copy' });
    button.setAttribute('aria-label', block.getAttribute('aria-label').replace(/^C/, 'Copy the c'));
    button.addEventListener('click', async () => {
      try {
        await navigator.clipboard.writeText(block.textContent);
      } catch {
        // Browsers without the clipboard interface copy the selection.
        getSelection().selectAllChildren(block);
        document.execCommand('copy');
      }
      button.textContent = copied.textContent = 'Copied';
      setTimeout(() => { button.textContent = 'Copy'; copied.textContent = ''; }, 2000);
    });
    block.before(button);
  }

  // Sections that are collapsed on a narrow screen
  if (matchMedia('(max-width: 40rem)').matches) for (const one of all('details[data-narrow]')) one.open = false;

  const checks = all('[data-check]');
  const causes = all('[data-cause]');
  const tableRows = all('main tbody tr').filter((row) => row.closest('[data-check]') === null);
  const isGroupHeading = (row) => row.querySelector('[scope="rowgroup"]') !== null;
  const groupHeadings = tableRows.filter(isGroupHeading);
  const rows = tableRows.filter((row) => !isGroupHeading(row));
  // A page whose rows fit one screen needs no search.
  const isSearchable = checks.length > 1 || rows.length >= 40;
  const texts = new Map();
  const textOf = (element) => {
    if (!texts.has(element)) texts.set(element, element.textContent.toLowerCase());
    return texts.get(element);
  };

  // Search field, filters and buttons
  const search = make('input', { type: 'search', placeholder: 'Search (press /)', spellcheck: false });
  search.setAttribute('aria-label', 'Search this report');
  const choose = (label, values, nameOf = (value) => value.replaceAll('-', ' ')) => {
    const select = make('select', {}, [make('option', { value: '', textContent: label })]);
    select.setAttribute('aria-label', label);
    select.append(...values.map((value) => make('option', { value, textContent: nameOf(value) })));
    return select;
  };
  const distinct = (name) => [...new Set(checks.map((check) => check.dataset[name]))];
  const ORDER = ['fail', 'error', 'warn', 'not-testable', 'pass', 'observed'];
  const verdict = choose('All verdicts', ORDER.filter((one) => distinct('verdict').includes(one)));
  const sectionNames = new Map(all('[data-part]').map((part) => [part.dataset.part, part.querySelector('strong').textContent]));
  const section = choose(
    'All sections',
    distinct('section').sort((a, b) => a.localeCompare(b, 'en', { numeric: true })),
    (value) => sectionNames.get(value) ?? value,
  );
  const expand = make('button', { type: 'button', textContent: 'Expand all' });
  const status = make('span', { className: 'shown' });
  status.setAttribute('role', 'status');
  const filters = [verdict, section].filter((select) => select.options.length > 2);
  const controls = make('div', { className: 'controls' }, isSearchable ? [search, ...filters, expand, status] : [expand]);
  if (isSearchable) controls.setAttribute('role', 'search');
  const navigation = document.querySelector('nav');
  if (isSearchable || all('main details').length > 1) (navigation ?? document.querySelector('main')).prepend(controls);

  // Filters
  const folds = all('main details.part, main details.fold');
  const openedByFilter = new Set();
  const apply = () => {
    const words = search.value.toLowerCase().split(/\\s+/).filter((word) => word !== '');
    const isActive = words.length > 0 || verdict.value !== '' || section.value !== '';
    const matches = (element) => words.every((word) => textOf(element).includes(word));
    const isShown = (element) =>
      matches(element) &&
      (verdict.value === '' || element.dataset.verdict === verdict.value) &&
      (section.value === '' || (element.dataset.section ?? section.value) === section.value);
    const found = new Set();
    for (const check of checks) {
      check.hidden = !isShown(check);
      if (!check.hidden) found.add(check.dataset.check);
    }
    for (const cause of causes) {
      cause.hidden = !(
        matches(cause) &&
        (verdict.value === '' || cause.dataset.verdict === verdict.value) &&
        (section.value === '' || cause.dataset.sections.split(' ').includes(section.value))
      );
    }
    for (const row of rows) {
      const heading = row.parentElement.firstElementChild;
      const text = textOf(row) + (isGroupHeading(heading) ? ' ' + textOf(heading) : '');
      row.hidden = !words.every((word) => text.includes(word));
    }
    for (const heading of groupHeadings) {
      heading.hidden = all('tr', heading.parentElement).every((row) => row === heading || row.hidden);
    }
    for (const part of all('.requirement, details.part, details.fold, main > section')) {
      const filtered = all('[data-check], [data-cause], tbody tr', part);
      part.hidden = isActive && filtered.length > 0 && filtered.every((element) => element.hidden);
    }
    for (const fold of folds) {
      if (isActive && !fold.hidden && !fold.open) {
        fold.open = true;
        openedByFilter.add(fold);
      } else if (!isActive && openedByFilter.delete(fold)) fold.open = false;
    }
    const total = new Set(checks.map((check) => check.dataset.check)).size;
    const count = total > 0
      ? found.size + ' of ' + total + ' checks'
      : rows.filter((row) => !row.hidden).length + ' of ' + rows.length + ' rows';
    status.textContent = isActive ? count : '';
  };
  for (const control of [search, verdict, section]) control.addEventListener('input', apply);
  expand.addEventListener('click', () => {
    const isExpanding = expand.textContent === 'Expand all';
    for (const one of all('main details')) if (!one.hidden) one.open = isExpanding;
    expand.textContent = isExpanding ? 'Collapse all' : 'Expand all';
  });
  addEventListener('keydown', (event) => {
    const isTyping = /^(input|select|textarea)$/i.test(event.target.tagName ?? '');
    if (isSearchable && event.key === '/' && !isTyping && !event.ctrlKey && !event.metaKey) {
      event.preventDefault();
      search.focus();
    } else if (event.key === 'Escape' && event.target === search) {
      search.value = '';
      apply();
    }
  });

  // Links to a check that a filter hides, or that is folded
  const reveal = () => {
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (target === null) return;
    if (target.closest('[hidden]') !== null) {
      search.value = verdict.value = section.value = '';
      apply();
    }
    for (const fold of all(':scope > details.fold', target)) fold.open = true;
    for (let one = target.closest('details'); one !== null; one = one.parentElement.closest('details')) one.open = true;
    target.scrollIntoView();
  };
  addEventListener('hashchange', reveal);
  reveal();
})();
`
