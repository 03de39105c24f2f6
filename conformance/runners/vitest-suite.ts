/* oxlint-disable vitest/expect-expect, vitest/valid-title, vitest/no-conditional-tests -- The checks judge by themselves, their ids are the titles, and the plan says which there are. */
/* oxlint-disable unicorn/require-post-message-target-origin, unicorn/prefer-add-event-listener -- Node's channels have no origins, and type no listeners. */
import { BroadcastChannel } from 'node:worker_threads'
import { afterAll, describe, inject, test } from 'vitest'
import type { CheckEntry } from '../../reports/conformance-document.ts'
import { CHECKS } from '../checks/all.ts'
import { endForTime } from '../engine/time-limit.ts'
import { NOT_BEGUN, openRun } from '../engine/open-run.ts'
import { phasesOf } from '../engine/schedule.ts'
import type { PlannedCheck } from '../engine/plan.ts'
import { REQUIREMENTS } from '../requirements/all.ts'
import { INTERRUPT, OUT_OF_TIME, type SuiteMessage } from './vitest-messages.ts'

// Runs inside vitest: one test for each planned check. vitest orders and counts, the harness judges.

const { settings, channel: channelName } = inject('touchstone')
const channel = new BroadcastChannel(channelName)
const interruption = new AbortController()
channel.onmessage = ({ data }: { readonly data: unknown }) => {
  if (data === INTERRUPT) {
    interruption.abort()
  } else if (data === OUT_OF_TIME) {
    endForTime(interruption)
  }
}

// What was said before this thread listened is said again.
tell({ kind: 'begin' })

const run = await openRun(settings, { requirements: REQUIREMENTS, checks: CHECKS }, interruption.signal)
const { planned } = run.plan

function tell(message: SuiteMessage): void {
  channel.postMessage(message)
}

function tellOf(entry: CheckEntry): void {
  tell({ kind: 'entry', entry, total: planned.length })
  if (entry.verdict === 'fail' || entry.verdict === 'error') {
    throw new Error(entry.actual)
  }
}

const { first, together, alone } = phasesOf(planned)
let begun = NOT_BEGUN

if (first !== undefined) {
  const { guard, waiting } = first
  describe.sequential('alone until it waits', () => {
    test(guard.check.id, async () => {
      const entry = await run.judge(guard)
      if (entry.verdict === 'pass') begun = await run.begin(waiting)
      tellOf(entry)
    })
  })
}

describe.concurrent('together', () => {
  if (first !== undefined) {
    test(`${first.waiting.check.id}, beside the others`, async () => {
      const entry = await begun.entry
      if (entry !== undefined) tellOf(entry)
    })
  }
  addTests(together)
})

describe.sequential('alone', () => {
  addTests(alone)
})

function addTests(checks: readonly PlannedCheck[]): void {
  for (const one of checks) {
    test(one.check.id, async () => {
      const hasPassed = one === first?.waiting && (await begun.entry) !== undefined
      if (!hasPassed) tellOf(await run.judge(one))
    })
  }
}

afterAll(async () => {
  tell({ kind: 'end', facts: await run.finish() })
  channel.close()
})
