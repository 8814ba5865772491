import SimulationDaemon
import Simulations

FSMDaemon.main(kinds: .simulations)
