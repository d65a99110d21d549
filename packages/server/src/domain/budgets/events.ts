export { budgetsChanged } from '@yardmaster/contract/budgets/events'
