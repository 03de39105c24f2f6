export { LOAD_OPERATIONS, type LoadOperation } from '../lib/load-operation.ts'
