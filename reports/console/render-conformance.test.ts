import { describe, expect, test } from 'vitest'
import { createCheckEntry, createDocument } from '../testing/sample-document.ts'
import { renderConformance } from './render-conformance.ts'
import { escapeTerminalText } from './terminal-text.ts'

const PLAIN = { hasColor: false, exitCode: 1 }

describe('the console text', () => {
  const document = createDocument({
    checks: [
      createCheckEntry('2.1/good', 'pass'),
      createCheckEntry('10/late', 'pass'),
      createCheckEntry('4.2/bad', 'fail', { actual: 'returned 200', reproduce: "curl 'http://x'" }),
      createCheckEntry('4.2/seen', 'observed'),
      createCheckEntry('5/habit', 'warn', { consequence: 'clients break' }),
      createCheckEntry('7/a', 'not-testable', { actual: 'Give a key.' }),
      createCheckEntry('7/b', 'not-testable', { actual: 'Give a key.' }),
    ],
    verdict: 'non-conformant',
  })

  test('with all findings, shows the verdict first, the sections in order, and the failures last', () => {
    const text = renderConformance(document, { ...PLAIN, isVerbose: true })
    expect(text).toBe(
      [
        'NON-CONFORMANT  http://127.0.0.1:8080',
        '7 checks in 1.5 s: 2 pass · 1 fail · 1 warn · 1 observed · 2 not testable',
        '12 requests, at most 0.5 credits for chat and text (0.25 according to the usage in chat responses)',
        '',
        '  §2.1 Model             1 pass',
        '  §4.2 Chat completions  1 fail · 1 observed',
        '  §5 Authentication      1 warn',
        '  §7 Errors              2 not testable',
        '  §10                    1 pass',
        '',
        'Causes of the failures (1)',
        '',
        ' 1. returned 200: 1 check (4.2/bad)',
        '    sentence     §4.2 Chat completions: "the sentence of 4.2/bad"',
        '',
        'Causes of the warnings (1)',
        '',
        ' 1. as it should be: 1 warning (5/habit)',
        '    sentence     §5 Authentication: "the sentence of 5/habit"',
        '    consequence  clients break',
        '',
        'Not testable (2)',
        '  2 checks: Give a key. (7/a, 7/b)',
        '',
        'The report page lists the 1 observed result under "Unspecified behaviour".',
        '',
        'Warnings (1)',
        '',
        '  5/habit  the title of 5/habit',
        '    sentence     §5 Authentication: "the sentence of 5/habit"',
        '    expected     200',
        '    actual       as it should be',
        '    consequence  clients break',
        '',
        'Failures (1)',
        '',
        '  4.2/bad  the title of 4.2/bad',
        '    sentence     §4.2 Chat completions: "the sentence of 4.2/bad"',
        '    expected     200',
        '    actual       returned 200',
        "    see it       curl 'http://x'",
        '',
        'NON-CONFORMANT  2 pass · 1 fail · 1 warn · 1 observed · 2 not testable',
        '',
      ].join('\n'),
    )
  })

  test('names the selection and --strict in the headline', () => {
    const chosen = { ...document, strict: true, selection: { only: ['4.2', '5'], skip: ['7/a'] } }
    expect(renderConformance(chosen, PLAIN)).toContain('NON-CONFORMANT (strict; only 4.2, 5; without 7/a)')
  })

  test('shows a hint about the target first, and again below a long text', () => {
    const remarks = ['GET /v1/models returned text/html: is this the API?']
    const remarkFindings = [{ code: 'other-service', params: { isPage: true } }]
    const text = renderConformance({ ...document, remarks, remarkFindings }, PLAIN)
    expect(text.split('\n')[1]).toBe(remarks[0])
    expect(text.match(/is this the API/g)).toHaveLength(1)
    const checks = Array.from({ length: 14 }, (_, index) => createCheckEntry(`1/${index}`, 'fail'))
    const all = { ...PLAIN, isVerbose: true }
    expect(renderConformance({ ...createDocument({ checks }), remarks, remarkFindings }, all)).toMatch(
      /14 fail\nGET .*is this the API\?\n$/,
    )
  })

  test.each([
    ['run-interrupted', 'interrupted'],
    ['time-limit-reached', 'time limit reached'],
  ])('names in the headline why a run ended early: %s', (code, word) => {
    const remark = 'The run ended early.'
    const remarkFindings = [{ code, params: {} }]
    const text = renderConformance({ ...document, remarks: [remark], remarkFindings, verdict: 'incomplete' }, PLAIN)
    expect(text.split('\n')[0]).toBe(`INCOMPLETE (${word})  http://127.0.0.1:8080`)
    expect(text).toContain(`\n${remark}\n`)
  })

  test('shows only the reason if nothing could be tested', () => {
    const untested = createDocument({ checks: [createCheckEntry('7/a', 'not-testable')], verdict: 'incomplete' })
    const target = { ...untested.target, problem: 'Nothing answered.\nIs it running?' }
    expect(renderConformance({ ...untested, target }, PLAIN)).toBe(
      'Nothing answered.\nIs it running?\nINCOMPLETE  nothing was tested\n',
    )
  })

  test('shows below the headline why the target ended the run, and then the tested checks', () => {
    const target = { ...document.target, problem: 'The target stopped responding after 9 responses.' }
    const lines = renderConformance({ ...document, target }, PLAIN).split('\n')
    expect(lines.slice(0, 3)).toEqual([
      'NON-CONFORMANT  http://127.0.0.1:8080',
      'The target stopped responding after 9 responses.',
      '7 checks in 1.5 s: 2 pass · 1 fail · 1 warn · 1 observed · 2 not testable',
    ])
  })

  test('shows the reasons of an incomplete run immediately below the headline, without a table of sections', () => {
    const checks = [createCheckEntry('2.1/good', 'pass'), createCheckEntry('7/a', 'not-testable')]
    const causes = [{ title: 'No key was given', checks: ['7/a'] }]
    const text = renderConformance({ ...createDocument({ checks, verdict: 'incomplete' }), causes }, PLAIN)
    expect(text.split('\n')[1]).toBe('Incomplete because 1 check could not be tested: No key was given')
    expect(text.split('\n').slice(4)).toEqual(['', 'Not testable (1)', '  1 check: No key was given (7/a)', ''])
  })

  test('marks an incomplete run that was accepted', () => {
    const text = renderConformance({ ...document, verdict: 'incomplete' }, { ...PLAIN, exitCode: 0 })
    expect(text).toContain('Accepted although 2 checks could not be tested.')
  })

  test('shows causes instead of failures, with one command each, and all failures on request', () => {
    const checks = [
      ...Array.from({ length: 21 }, (_, index) => createCheckEntry(`4.2/${index}`, 'fail', { actual: 'returned 422' })),
      createCheckEntry('7/a', 'not-testable', { actual: 'Give a key.' }),
      createCheckEntry('7/b', 'not-testable', { actual: 'The control request returned 422.' }),
      createCheckEntry('1/id', 'warn', { consequence: 'clients break' }),
    ]
    const causes = [
      {
        title: 'Validation errors get 422 instead of 400',
        checks: [...checks.slice(0, 21).map(({ id }) => id), '7/b'],
        reproduce: "curl 'http://x'",
        remedy: 'return 400',
      },
      { title: 'The target does not send a header x-request-id', checks: ['1/id'] },
      { title: 'Give a key', checks: ['7/a'] },
    ]
    const text = renderConformance({ ...createDocument({ checks }), causes }, PLAIN)
    expect(text).toBe(
      [
        'NON-CONFORMANT  http://127.0.0.1:8080',
        '24 checks in 1.5 s: 21 fail · 1 warn · 2 not testable',
        '12 requests, at most 0.5 credits for chat and text (0.25 according to the usage in chat responses)',
        '',
        'Causes of the failures (1)',
        '',
        ' 1. Validation errors get 422 instead of 400: 21 failures, 1 not testable',
        '    sentence     §4.2 Chat completions: "the sentence of 4.2/0"',
        '    remedy       return 400',
        "    see it       curl 'http://x'",
        '',
        'Causes of the warnings (1)',
        '',
        ' 1. The target does not send a header x-request-id: 1 warning (1/id)',
        '    sentence     §1 Service: "the sentence of 1/id"',
        '    consequence  clients break',
        '',
        'Not testable for other reasons (1)',
        '  1 check: Give a key (7/a)',
        '',
        '--verbose lists each failure and warning with its sentence and command; the reports list them too.',
        '',
      ].join('\n'),
    )
    const all = renderConformance({ ...createDocument({ checks }), causes }, { ...PLAIN, isVerbose: true })
    expect(all.match(/returned 422/g)).toHaveLength(21)
    expect(all).toContain('Validation errors get 422')
  })

  test('the console text has colours only on request', () => {
    expect(renderConformance(document, PLAIN)).not.toContain('\u001b')
    expect(renderConformance(document, { ...PLAIN, hasColor: true })).toContain('\u001b[31mNON-CONFORMANT')
  })
})

describe('text of a target', () => {
  test('text of a target cannot control the terminal through a response, an address or a reason', () => {
    const hostile = '\u001b]0;owned\u0007\r\n\u202egnp\u0090'
    const document = createDocument({
      checks: [
        createCheckEntry('1/a', 'fail', { actual: hostile, reproduce: hostile, expected: [hostile] }),
        createCheckEntry('1/b', 'not-testable', { actual: hostile }),
        createCheckEntry('1/c', 'warn', { consequence: hostile }),
      ],
      url: `http://x/${hostile}`,
    })
    const text = renderConformance(document, PLAIN)
    expect(text).toContain('\\u{1b}]0;owned\\u{7}\\u{d}\\u{a}\\u{202e}gnp\\u{90}')
    expect(text.replaceAll('\n', '')).toMatch(/^[^\p{Cc}\p{Cf}]*$/u)
  })

  test('text of a target cannot fill the terminal', () => {
    expect(escapeTerminalText(`${'a'.repeat(1000)}: returned 404`, 60)).toBe(`${'a'.repeat(40)} … aaaaaa: returned 404`)
    expect(escapeTerminalText('one two three four five six seven eight nine ten eleven twelve: returned 404', 42)).toBe(
      'one two three four five six  … : returned 404',
    )
    expect(escapeTerminalText('a'.repeat(100), 60)).toBe(`${'a'.repeat(40)} … ${'a'.repeat(20)}`)
  })
})
