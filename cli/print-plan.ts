import type { planConformance } from '../conformance/run-conformance.ts'

type Planned = ReturnType<typeof planConformance>

/** One line for each check: its id, how far it may blame a target, and what holds when it passes. */
export function printList(plan: Planned['plan']): string {
  const idWidth = Math.max(...plan.planned.map(({ check }) => check.id.length))
  const lines = plan.planned.map(
    ({ check, requirement }) => `${check.id.padEnd(idWidth)}  ${requirement.level.padEnd(10)}  ${check.title}`,
  )
  return `${[...lines, '', `${lines.length} checks`].join('\n')}\n`
}

/** What a run would send at most. */
export function printForecast({ checks, requests, credits }: Planned['forecast']): string {
  return [
    `${checks} checks would send at most ${requests} requests, for at most ${credits} credits of chat and text by the price table.`,
    'What images and audio cost beside their text the document does not show.',
    '',
  ].join('\n')
}
