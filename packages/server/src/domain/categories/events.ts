export { categoriesChanged } from '@yardmaster/contract/categories/events'
