import { executionAsyncResource } from 'node:async_hooks'

let kept: object | undefined

/**
 * Keeps `process.nextTick` fast for the lifetime of the process, at the cost of one small object. When no tick object
 * survives a garbage collection, V8 drops their hidden class and never optimizes them again. Each of the seven or so
 * ticks of a request then takes four times as long. One tick object that stays alive prevents this.
 */
export function keepNextTickFast(): void {
  if (kept !== undefined) return
  process.nextTick(() => {
    kept = executionAsyncResource()
  })
}
