import { scaleLinear, scaleLog } from 'd3-scale'
import { area, line } from 'd3-shape'
import { html, type Markup } from '../markup.ts'

/** A point of a line. A point without `y` interrupts the line. */
export interface ChartPoint {
  readonly x: number
  readonly y: number | null
  /** Error band at this point. */
  readonly range?: { readonly low: number; readonly high: number }
  /** Text that a browser shows when the pointer rests on the point. */
  readonly tooltip?: string
}

/** A line with an optional error band. */
export interface ChartLine {
  readonly name: string
  /** Index that determines the colour and dash pattern. An operation has the same index in every chart of a page. */
  readonly slot: number
  readonly points: readonly ChartPoint[]
}

export interface ChartContent {
  /** ID that is unique within the page: letters, digits and hyphens. */
  readonly id: string
  readonly title: string
  /** Text alternative of the chart for screen readers. */
  readonly description: string
  readonly xLabel: string
  readonly yLabel: string
  readonly xTicks: readonly { readonly x: number; readonly label: string }[]
  readonly lines: readonly ChartLine[]
  /** Limits, such as latency budgets. Each is drawn at the horizontal position to which it applies. */
  readonly limits?: readonly ChartLimit[]
}

/** A limit on the vertical value, which applies to one horizontal position. */
export interface ChartLimit {
  readonly x: number
  readonly y: number
  readonly label: string
  /** `open`: there are too few samples to decide whether the limit is met. */
  readonly state: 'kept' | 'broken' | 'open'
}

const WIDTH = 420
const HEIGHT = 270
const LEFT = 64
const RIGHT = 24
const TOP = 22
const BOTTOM = 44

/**
 * Maximum ratio of the highest value to the median of the lowest line for which the scale is linear. Above it, the
 * lowest line would look flat, so the scale is logarithmic. The ratio is lower for more than two lines, because they
 * are harder to tell apart.
 */
const MAX_LINEAR_RATIO = 60
const MAX_LINEAR_RATIO_OF_LINES = 25

/** Smallest value of a tick for which the axis abbreviates thousands, so that its labels fit beside it. */
const MIN_COMPACT_TICK = 10_000

/** Approximate width of a character of a label, in drawing units. */
const CHARACTER_WIDTH = 7
const LIMIT_CHARACTER_WIDTH = 6.9

type Scale = (value: number) => number

export function renderLineChart(parts: ChartContent): Markup {
  const { id, title, description, lines } = parts
  const values = lines.flatMap(({ points }) => points.flatMap(({ y, range }) => (y === null ? [] : [range?.high ?? y])))
  const xs = parts.xTicks.map(({ x }) => x)
  const pointXs = lines.flatMap(({ points }) => points.map(({ x }) => x))
  const x = scaleLinear([minOf([...xs, ...pointXs]), maxOf([...xs, ...pointXs])], [LEFT, WIDTH - RIGHT])
  const y = verticalScale(
    lines,
    values,
    (parts.limits ?? []).map((limit) => limit.y),
  )
  return html`<figure class="chart">
    <figcaption>${title}</figcaption>
    <svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-labelledby="${id}-title ${id}-desc">
      <title id="${id}-title">${title}</title>
      <desc id="${id}-desc">${description}</desc>
      ${drawAxes(parts, x, y)} ${lines.map((one) => drawLine(one, x, y.at))} ${drawLimits(parts, x, y.at)}
    </svg>
    ${legend(lines)}
  </figure>`
}

interface VerticalScale {
  readonly at: Scale
  readonly ticks: readonly number[]
}

/** Chooses a linear scale, or a logarithmic one for positive values that differ widely. */
function verticalScale(
  lines: readonly ChartLine[],
  values: readonly number[],
  limits: readonly number[],
): VerticalScale {
  const range = [HEIGHT - BOTTOM, TOP]
  const points = lines.flatMap((line) => line.points)
  const lowest = minOf([0, ...points.flatMap(({ y, range }) => (y === null ? [] : [range?.low ?? y]))])
  const highest = maxOf([...values, ...limits, 0]) || (lowest < 0 ? 0 : 1)
  const hasNegative = points.some(({ y }) => y !== null && y < 0)
  const lowestMiddle = minOf(lines.map(middleOf).filter((value) => value > 0))
  if (!hasNegative && highest / lowestMiddle > (lines.length > 2 ? MAX_LINEAR_RATIO_OF_LINES : MAX_LINEAR_RATIO)) {
    // The lines and limits determine the range of the logarithmic scale, at whose start error bands are clipped.
    const drawn = [...points.map(({ y: value }) => value ?? 0), ...limits]
    const scale = scaleLog([minOf(drawn.filter((value) => value > 0)), highest], range).nice()
    const [floor = 0] = scale.domain()
    const decades = scale.ticks().filter(isDecade)
    return { at: (value) => scale(Math.max(value, floor)), ticks: decades }
  }
  const scale = scaleLinear([lowest, highest], range).nice()
  return { at: (value) => scale(Math.max(value, lowest)), ticks: scale.ticks(5) }
}

function middleOf({ points }: ChartLine): number {
  const sorted = points.flatMap(({ y }) => (y === null ? [] : [y])).toSorted((a, b) => a - b)
  return sorted[sorted.length >> 1] ?? 0
}

function isDecade(tick: number): boolean {
  return Math.abs(Math.log10(tick) - Math.round(Math.log10(tick))) < 1e-6
}

function drawAxes({ xTicks, xLabel, yLabel }: ChartContent, x: Scale, y: VerticalScale): Markup {
  const bottom = HEIGHT - BOTTOM
  // All labels of an axis have the same notation.
  const notation = y.ticks.some((tick) => Math.abs(tick) >= MIN_COMPACT_TICK) ? 'compact' : 'standard'
  return html`<g class="axes">
    ${y.ticks.map((tick) => html`<line x1="${LEFT}" x2="${WIDTH - RIGHT}" y1="${round(y.at(tick))}" y2="${round(y.at(tick))}"></line><text x="${LEFT - 6}" y="${round(y.at(tick) + 4)}" text-anchor="end">${tick.toLocaleString('en', { maximumSignificantDigits: 3, notation })}</text>`)}
    ${xTicks.map((tick) => html`<line class="tick" x1="${round(x(tick.x))}" x2="${round(x(tick.x))}" y1="${bottom}" y2="${bottom + 4}"></line><text x="${round(x(tick.x))}" y="${bottom + 18}" text-anchor="${anchorOf(tick, x)}">${tick.label}</text>`)}
    <text class="label" x="${(LEFT + WIDTH - RIGHT) / 2}" y="${HEIGHT - 6}" text-anchor="middle">${xLabel}</text>
    <text class="label" transform="translate(13 ${(TOP + bottom) / 2}) rotate(-90)" text-anchor="middle"
      >${yLabel}</text
    >
  </g>`
}

/** Chooses the text anchor of a tick label, so that a long label at the right end stays within the chart. */
function anchorOf({ x: at, label }: ChartContent['xTicks'][number], x: Scale): 'middle' | 'end' {
  const halfWidth = (label.length * CHARACTER_WIDTH) / 2
  return x(at) + halfWidth > WIDTH ? 'end' : 'middle'
}

function drawLine({ points, slot }: ChartLine, x: Scale, y: Scale): Markup {
  const isThere = ({ y }: ChartPoint): boolean => y !== null
  const xOf = (point: ChartPoint): number => round(x(point.x))
  const path = line<ChartPoint>(xOf, (point) => round(y(point.y ?? 0))).defined(isThere)(points)
  const hasBand = points.some(({ range }) => range !== undefined)
  const band = hasBand
    ? area<ChartPoint>()
        .x(xOf)
        .y0((point) => round(y(point.range?.low ?? point.y ?? 0)))
        .y1((point) => round(y(point.range?.high ?? point.y ?? 0)))
        .defined(isThere)([...points])
    : undefined
  return html`${band !== undefined && html`<path class="band s${slot % 6}" d="${band}"></path>`}<path
      class="line s${slot % 6}"
      d="${path ?? ''}"
    ></path>
    ${points.map(({ x: at, y: value, tooltip }) => value !== null && tooltip !== undefined && html`<circle class="point" cx="${round(x(at))}" cy="${round(y(value))}" r="5"><title>${tooltip}</title></circle>`)}`
}

/** Draws each limit as a dot with its label and a short horizontal line. */
function drawLimits({ limits = [] }: ChartContent, x: Scale, y: Scale): Markup {
  return html`${limits.map((limit) => {
    const [left, top] = [round(x(limit.x)), round(y(limit.y))]
    // Labels stay within the chart, and do not cover the labels of the axis.
    const width = limit.label.length * LIMIT_CHARACTER_WIDTH
    const anchor = left > WIDTH / 2 && left + 9 - width > LEFT ? 'end' : 'start'
    const start = anchor === 'end' ? left + 9 : Math.max(LEFT, Math.min(left - 9, WIDTH - width))
    return html`<g class="limit ${limit.state}"
      ><line x1="${left - 9}" x2="${left + 9}" y1="${top}" y2="${top}"></line
      ><circle cx="${left}" cy="${top}" r="4"><title>${limit.label}</title></circle
      ><text x="${round(start)}" y="${top - 8}" text-anchor="${anchor}">${limit.label}</text></g
    >`
  })}`
}

function legend(lines: readonly ChartLine[]): Markup | undefined {
  if (lines.length < 2) return undefined
  return html`<ul class="legend">
    ${lines.map(
      ({ name, slot }) =>
        html`<li>
          <svg viewBox="0 0 28 8" width="28" height="8" aria-hidden="true">
            <path class="line s${slot % 6}" d="M0 4H28"></path>
          </svg>
          ${name}
        </li>`,
    )}
  </ul>`
}

/** Rounds to a tenth of a drawing unit. More digits would be invisible and increase the page size. */
function round(value: number): number {
  return Math.round(value * 10) / 10
}

/** Returns the maximum of a list. Uses a loop, because `Math.max(...values)` fails for long lists. */
function maxOf(values: readonly number[]): number {
  return values.reduce((most, value) => Math.max(most, value), Number.NEGATIVE_INFINITY)
}

function minOf(values: readonly number[]): number {
  return values.reduce((least, value) => Math.min(least, value), Number.POSITIVE_INFINITY)
}
