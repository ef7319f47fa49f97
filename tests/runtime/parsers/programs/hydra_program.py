import hydra


@hydra.main(config_path="conf", config_name="config", version_base=None)
def main(config):
    pass


if __name__ == "__main__":
    main()
