/** Returns the name of a budget in a load document: `ttft.p99`, `chat.failed.rate`, `goodput`. */
export function nameBudget({ metric, statistic }: { readonly metric: string; readonly statistic: string }): string {
  return metric.endsWith(statistic) ? metric : `${metric}.${statistic}`
}

/** Formats a value with the unit of a budget: `300 ms`, `1 %`, `5/s`. */
export function formatWithUnit(value: number | string, unit: string): string {
  return unit === 'ms' || unit === '%' ? `${value} ${unit}` : `${value}${unit}`
}
