export { TuningSection } from './TuningSection';
